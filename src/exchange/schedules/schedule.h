/* A trace as a schedule: each rank has a list of computations, messages between world ranks, and
 * waits for them. GOAL (LogGOPSim, ATLAHS) and SimGrid's time-independent traces consist of these.
 * Their writers are sinks, to which schedule_walk passes the operations of a rank.
 * doc/schedules.md lists the properties of a trace that schedules cannot express.
 *
 *   - Computation is what lies between two calls that communicate, in nanoseconds; the times of
 *     these calls are left out. Unsuccessful tests and local calls count as computation.
 *   - Receives name the sender and the tag that they matched in the recording.
 *   - Communicators become world ranks; tags are changed so that none collide (schedule_tags).
 *   - A collective operation becomes messages (decompose.h) unless the sink takes it whole.
 *   - A probe that announces a receive becomes the receive.
 *   - MPI_Finalize becomes computation: the time from its last Enter of all ranks to its Leave. */
#ifndef SCHEDULES_SCHEDULE_H
#define SCHEDULES_SCHEDULE_H

#include "trace/trace.h"

/* One end of a message. */
struct schedule_message {
    bool sends;
    uint32_t peer; /* world rank */
    uint32_t tag;
    uint64_t bytes;
    uint32_t request; /* its number among the rank's; used again when the message is complete.
                         INDEX_NONE in what a sink without `go_aside` gets for nonblocking
                         collective operations */
};

/* A collective operation on all ranks, in the order of the world. Sizes are the same on all of
 * them. */
struct schedule_collective {
    enum collective_op op;
    uint32_t root;            /* ROOT_NONE: it has none */
    uint64_t block;           /* bytes; collective_block (collective_operations.h) */
    const uint64_t *sends;    /* [ranks], of operations with counts: bytes to each (scatterv: at the
                                 root; NULL elsewhere) */
    const uint64_t *receives; /* bytes from each (gatherv: at the root; NULL elsewhere); of
                                 allgatherv and reduce_scatter the vector that all members pass */
};

/* Takes the operations of one rank, in order. The functions return false when memory is out or
 * writing fails; the walk then ends. */
struct schedule_sink {
    void *context;
    bool (*compute)(void *context, uint64_t nanoseconds); /* at least 1 */
    /* A message begins. `blocking`: the rank continues when it is complete; otherwise `wait` names
     * it later. */
    bool (*message)(void *context, const struct schedule_message *message, bool blocking);
    /* Until these are complete. */
    bool (*wait)(void *context, const struct schedule_message *messages, size_t count);
    /* Takes a blocking collective operation of all ranks as a whole, and sets `*taken`; else it is
     * decomposed. NULL: takes none. */
    bool (*collective)(void *context, const struct schedule_collective *collective, bool *taken);
    /* Begins a nonblocking collective operation: the messages up to `return_aside` belong to it,
     * and the rank does not wait for them until `join`. `number`: of the operation among the
     * rank's. NULL: the format has no such operations. Then the operation has one message for each
     * pair of members that depend on each other; its ends begin in the call that begins the
     * operation, and are complete in its wait. */
    bool (*go_aside)(void *context, uint32_t number);
    bool (*return_aside)(void *context);
    bool (*join)(void *context, uint32_t number);
};

/* What the ranks have in common. */
struct schedule {
    const struct trace *trace;
    bool unique_tags;        /* no two messages of a rank have the same tag */
    uint32_t tags;           /* per communicator, if they are not unique */
    uint32_t collective_tag; /* where those of collective operations begin */
    int64_t last_finalize;   /* ticks since the trace's begin: the last rank enters MPI_Finalize;
                                INT64_MIN: there is none */
    int64_t *first_instance; /* [comms + 1]: collective_number_instances */
    int64_t *blocks;         /* [instances]: the largest block that a member knows */
    int64_t *totals;         /* [instances]: bytes that all members send, of operations with counts
                                where a member does not know them; -1: all know them. NULL: no such
                                operation */
};

/* The number of an operation among those of all communicators. */
static inline uint32_t schedule_instance(const struct schedule *schedule,
                                         const struct collective *collective)
{
    return (uint32_t)schedule->first_instance[collective->comm] + collective->instance;
}

/* What cannot be expressed, on all ranks. */
struct schedule_losses {
    int64_t one_sided;   /* one-sided operations and synchronisations */
    int64_t estimated;   /* operations with counts that the archive does not have */
    int64_t synchronous; /* sends whose mode is synchronous, buffered or ready */
    int64_t unfinished;  /* requests that never completed */
};

/* Collective. The trace must be matched. `unique_tags`: as above; otherwise tags are
 * communicator * (largest tag + 1) + tag, unless these numbers are too large. */
enum status schedule_open(const struct trace *trace, bool unique_tags, struct schedule *schedule,
                          struct error *error);
void schedule_close(struct schedule *schedule);

/* Passes what the rank of `stream` does to the sink, and adds to `losses`. Not collective. Returns
 * false when memory is out or the sink has returned false. */
bool schedule_walk(const struct schedule *schedule, const struct stream *stream,
                   const struct schedule_sink *sink, struct schedule_losses *losses);

/* Collective: sums the losses and warns of them once. `format`: of the file, in the text. */
void schedule_tell_losses(const struct trace *trace, struct schedule_losses *losses,
                          const char *format);

#endif
