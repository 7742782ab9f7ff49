/* The processes of a tool that works in parallel: their number, agreement on errors, reductions.
 * They exchange data by exchange.h and mail.h. A launcher of MPI has started them, or the program
 * has forked them, without MPI. Uses PMPI_* only, so that the tracer can share it. All functions
 * are collective, unless stated otherwise. With one process none of them, and nothing in
 * exchange.h, calls MPI, except for opening and closing: a forked process (sweep/workers.h) can use
 * them. */
#ifndef BASE_MPI_PROCESSES_H
#define BASE_MPI_PROCESSES_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct local_job;

struct processes {
    uintptr_t comm;          /* the communicator, which only handles.h reads; without MPI: unused */
    struct local_job *local; /* the forked processes; NULL: MPI, or one process */
    int rank, size;
    int host;     /* the lowest process on the same host */
    int per_core; /* processes per core of the fullest host, rounded up */
    bool naps;    /* more processes than cores: waits sleep instead of spinning */
};

/* All processes that a launcher of MPI has started, after mpi_start (start.h). */
enum status processes_open_world(struct processes *processes, struct error *error);
/* Those of them with the same `part` (< 0: none, which is not opened), in the same order. */
enum status processes_open_part(const struct processes *all, int part, struct processes *processes,
                                struct error *error);
void processes_close(struct processes *processes);

/* Without MPI: `jobs` >= 1 processes on this host. This function forks them, so all return from it.
 * The caller must have no threads. */
enum status processes_fork(struct processes *processes, int jobs, struct error *error);
/* Their end: only process 0 returns; the others exit with `exit_code`. */
void processes_join(struct processes *processes, int exit_code);

/* Agreement: if a process passes a status other than STATUS_OK, all return the error of the lowest
 * such process. Call it before any collective step that a failed process would miss. */
enum status processes_agree(const struct processes *processes, enum status status,
                            struct error *error);
/* The same after an allocation: all fail if `found` is false on a process, which has no memory for
 * `what`. */
enum status processes_agree_memory(const struct processes *processes, bool found, const char *what,
                                   struct error *error);

/* The pause between two tests of a process that waits for others. `*tests` counts those of one
 * wait, from 0. The first tests follow one another at once if each process has a core. After that,
 * the process that is waited for may need the core, because other programs run on the host, too: so
 * this one sleeps: without MPI until another process wakes it, with MPI as processes_nap does. Not
 * collective. */
void processes_pause(const struct processes *processes, unsigned *tests);

/* A nap: `number` counts those of one wait, from 0. The first ones only yield the core. Then the
 * process sleeps, for a time that grows with the wait, so that many waiting processes leave the
 * cores to those that work. Not collective. */
void processes_nap(unsigned number);

/* Lets another thread end what the calling thread does: once `*stop` is set, processes_agree fails
 * in this thread with STATUS_INTERRUPTED, and so does processes_stopped, for loops that agree on
 * nothing. NULL: nothing ends it. Not collective. */
void processes_stop_by(const atomic_bool *stop);
enum status processes_stopped(struct error *error);

void processes_barrier(const struct processes *processes);
/* Reductions in place, element by element; `count` is at most INT_MAX. */
void processes_max(const struct processes *processes, int64_t *values, size_t count);
void processes_min(const struct processes *processes, int64_t *values, size_t count);
void processes_sum(const struct processes *processes, int64_t *values, size_t count);

/* Broadcasts `size` bytes (any size) from process 0. */
void processes_broadcast(const struct processes *processes, void *data, size_t size);

/* Extends an ARRAY (base/array.h) on all processes by the others' items: it then has those of
 * process 0, then those of process 1, and so on. There may be INT_MAX of them. Fails if there is no
 * memory for `what`. */
#define processes_share(processes, array, what, error)                                           \
    processes_share_((processes), (void **)&(array)->items, &(array)->count, &(array)->capacity, \
                     sizeof *(array)->items, (what), (error))

/* For the macro only. */
enum status processes_share_(const struct processes *processes, void **items, size_t *count,
                             size_t *capacity, size_t size, const char *what, struct error *error);

/* First line of the MPI library's version, e.g. "MPICH Version: 4.0.2". MPI must run. Not
 * collective. */
void processes_mpi_library(char *text, size_t size);

#endif
