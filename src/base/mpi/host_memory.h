/* Memory that the processes of a host have in common: for large tables that all of them read.
 *
 * It is a file in memory (memfd_create(2)), which the host's *leader* makes and the others open
 * through /proc. /dev/shm, which containers keep small, plays no part. Where a process may not open
 * the leader's file (other users, other process namespaces), each process of the host is a leader
 * of its own, with its own copy. Functions are collective, unless stated otherwise. With one
 * process none of them calls MPI. */
#ifndef BASE_MPI_HOST_MEMORY_H
#define BASE_MPI_HOST_MEMORY_H

#include "base/mpi/processes.h"

/* Processes that have memory in common. */
struct host_group {
    const struct processes *processes;
    MPI_Comm comm;   /* of the group; MPI_COMM_NULL if it has one process */
    bool leads;      /* this process fills what the leader fills */
    int index, size; /* this process's place in the group, the leader's is 0; their number */
    bool only;       /* all processes are in this group */
};

/* Finds the group of each process. Close it in any case. */
enum status host_group_open(const struct processes *processes, struct host_group *group,
                            struct error *error);
void host_group_close(struct host_group *group);

/* The slice of `count` items that this process works on if its group shares the work: from the
 * first returned one up to the next process's. Not collective. */
size_t host_group_slice(const struct host_group *group, int index, size_t count);

/* Waits until all processes of the group are here; each then sees what the others have written. If
 * `complete` is false on any process of any group, memory for `what` is out on all. */
enum status host_group_agree(const struct host_group *group, bool complete, const char *what,
                             struct error *error);

/* All zero: none. */
struct host_memory {
    void *data;
    size_t size; /* bytes mapped; 0: data came from malloc */
};

/* Makes `size` bytes that are all 0, once in each group; `size` is the same in a group. Pages take
 * memory when they are first written. Fails if memory for `what` is out. Close it in any case. */
enum status host_memory_open(const struct host_group *group, size_t size, const char *what,
                             struct host_memory *memory, struct error *error);

/* Takes over memory from malloc, for a group of one. Not collective. */
void host_memory_adopt(struct host_memory *memory, void *data);

/* Frees this process's view. The memory goes with the last one. Not collective. */
void host_memory_close(struct host_memory *memory);

/* Puts the `count` items of `size` bytes of all processes, in order of processes, at `all` on each
 * leader; others ignore `all`. There may be INT_MAX items. Fails if memory for `what` is out. */
enum status host_memory_gather(const struct host_group *group, const void *items, size_t count,
                               size_t size, void *all, const char *what, struct error *error);

/* Sums values in common memory over the groups: each group then has the sum. Call host_group_agree
 * before, if others than the leader have written. `count` is at most INT_MAX. */
void host_memory_sum(const struct host_group *group, int64_t *values, size_t count);

#endif
