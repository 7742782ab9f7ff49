/* Shared by split_threads.c, thread_requests.c, thread_members.c, thread_partners.c and
 * thread_epochs.c. */
#ifndef TRACE_SPLIT_THREADS_PRIVATE_H
#define TRACE_SPLIT_THREADS_PRIVATE_H

#include "base/array.h"
#include "base/map.h"
#include "trace/threads.h"
#include "trace/trace.h"

/* The rank of an MPI process that takes part in the collective operations on a communicator from a
 * number on. */
struct member_run {
    uint32_t comm;   /* of the archive, or of a window */
    uint32_t member; /* MPI process */
    uint32_t number; /* among the operations of the process on comm; INDEX_NONE: the rank only has
                        messages there */
    uint32_t rank;
};

/* The part of a communicator whose members take part in its operations from a number on. */
struct comm_division {
    uint32_t comm, number;
    uint32_t
        part; /* its number as a communicator; the first part has the number of the communicator */
};

struct splitting {
    struct trace *trace;
    struct definitions *d;
    struct thread_ranks *threads;
    ARRAY(struct member_run) runs;     /* of all processes, sorted */
    ARRAY(struct comm_division) parts; /* sorted */
    ARRAY(struct communicator) comms;  /* the trace's */
    ARRAY(uint32_t) comm_of;           /* [comms.count] */
    ARRAY(struct group) groups;        /* the trace's */
    ARRAY(uint32_t) recorded;          /* [groups.count] */
    struct map handed;                 /* split_post_key -> index in post_times */
    ARRAY(uint64_t) post_times;        /* of requests that another thread has begun */
    uint32_t *wide; /* [comms of the archive]: a part with all ranks of all members; INDEX_NONE: not
                       needed */
};

/* Collective. Moves requests to the ranks that complete them. Fails with STATUS_INPUT if a request
 * completes that no thread of the process has begun. */
enum status split_requests(struct splitting *s, struct error *error);

static inline uint64_t split_post_key(uint32_t rank, uint32_t index)
{
    return (uint64_t)rank << 32 | index;
}

/* The recorded time at which a message or an operation (COLLECTIVE_BIT | collective) of an owned
 * rank is posted, in `row`. */
static inline uint64_t split_post_time(const struct splitting *s, uint32_t rank, uint32_t index,
                                       uint32_t row)
{
    const uint32_t known =
        s->post_times.count > 0 ? map_get(&s->handed, split_post_key(rank, index)) : MAP_NONE;
    return known == MAP_NONE ? trace_stream(s->trace, rank)->time[row] : s->post_times.items[known];
}

/* Collective. Sets runs and parts, and the ranks that are members of each communicator and window.
 */
enum status split_members(struct splitting *s, struct error *error);

/* The rank of an MPI process in the first part of a communicator. */
uint32_t split_default_rank(const struct splitting *s, uint32_t comm, uint32_t mpi_process);

/* Appends a communicator that is a part of `comm`. Its members are ranks[MPI process], or all ranks
 * of the members if `ranks` is NULL. Returns its number; INDEX_NONE when memory is out. */
uint32_t split_add_part(struct splitting *s, uint32_t comm, const uint32_t *ranks);

/* Collective. Sets the partner's rank of each message, and the communicator that contains both
 * ranks. */
enum status split_partners(struct splitting *s, struct error *error);

/* Collective. Gives each synchronisation with a group on a window a group of ranks: of each MPI
 * process the rank whose synchronisation is the counterpart. */
enum status split_epochs(struct splitting *s, struct error *error);

#endif
