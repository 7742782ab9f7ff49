/* Shared by split_threads.c, thread_members.c and thread_partners.c. */
#ifndef TRACE_SPLIT_THREADS_PRIVATE_H
#define TRACE_SPLIT_THREADS_PRIVATE_H

#include "base/array.h"
#include "trace/threads.h"
#include "trace/trace.h"

/* From a number of a collective operation on: the rank of an MPI process that does it. */
struct member_run {
    uint32_t comm;   /* of the archive, or of a window */
    uint32_t member; /* MPI process */
    uint32_t number; /* among the process's operations on comm; INDEX_NONE: it only has messages */
    uint32_t rank;
};

/* The operations on a communicator, from a number on, are done by the members of one part of it. */
struct comm_part {
    uint32_t comm, number;
    uint32_t part; /* communicator; the first part of a communicator has its number */
};

/* A group of an epoch on a window, in processes and in ranks. */
struct epoch_group {
    uint32_t group, window, ranks;
};

struct splitting {
    struct trace *trace;
    struct definitions *d;
    struct thread_ranks *threads;
    ARRAY(struct member_run) runs;    /* of all processes, sorted */
    ARRAY(struct comm_part) parts;    /* sorted */
    ARRAY(struct epoch_group) epochs; /* sorted */
    ARRAY(struct communicator) comms; /* the trace's */
    ARRAY(uint32_t) comm_of;          /* [comms.count] */
    ARRAY(struct group) groups;       /* the trace's */
    ARRAY(uint32_t) recorded;         /* [groups.count] */
    uint32_t *wide;                   /* [comms at first]: a part whose members are all ranks of all
                                         members; INDEX_NONE: not needed */
};

/* True if thread streams of an MPI window, not of another paradigm. */
bool split_is_mpi_window(const struct definitions *d, uint32_t window);

/* Collective. Sets runs and parts; gives each communicator and window its ranks. */
enum status split_members(struct splitting *s, struct error *error);

/* The rank of an MPI process in the first part of a communicator. */
uint32_t split_default_rank(const struct splitting *s, uint32_t comm, uint32_t mpi_process);

/* Appends a communicator that is a part of `comm`, with the default name and flags and the rank
 * `ranks` gives for each MPI process, or (NULL) all of its ranks. INDEX_NONE when memory is out. */
uint32_t split_add_part(struct splitting *s, uint32_t comm, const uint32_t *ranks);

/* Collective. Gives each message its partner's rank and the communicator that has both. */
enum status split_partners(struct splitting *s, struct error *error);

#endif
