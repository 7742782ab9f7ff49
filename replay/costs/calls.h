/* The MPI calls of a rank that communicate: which rows are one call, what it makes visible to other
 * ranks and what it waits for. Polling loops (METHODS 1) are one call. */
#ifndef REPLAY_COSTS_CALLS_H
#define REPLAY_COSTS_CALLS_H

#include "base/array.h"
#include "trace/trace.h"

enum wait_kind {
    WAIT_RECEIVE,    /* until a message has arrived */
    WAIT_SEND,       /* until a synchronous message's receive is posted */
    WAIT_SYNC,       /* until the others in the group of a window have posted, or completed */
    WAIT_COLLECTIVE, /* until those have arrived whose data it needs */
    WAIT_FINALIZE,   /* until all ranks are in MPI_Finalize */
};

struct wait {
    enum wait_kind kind;
    uint32_t index; /* of the message, collective or one-sided synchronisation of this rank */
};

enum post_kind {
    POST_SEND,
    POST_RECEIVE,
    POST_SYNC,
    POST_COLLECTIVE,
    POST_FINALIZE,
};

struct post {
    enum post_kind kind;
    uint32_t index;
    uint32_t row; /* when: that row's time */
};

struct call {
    enum mpi_call mpi_call;
    uint32_t enter, leave; /* rows */
    bool probes;           /* its waits are for messages that a later call receives */
};

/* Walks over the calls of one stream. */
struct call_walk {
    const struct trace *trace;
    const struct stream *stream;
    uint64_t poll_gap; /* ticks; Tests closer than this are one loop */
    uint32_t row;      /* where to look for the next call */
    struct call call;
    ARRAY(struct post) posts; /* of the call, in order */
    ARRAY(struct wait) waits;
    ARRAY(uint32_t) unfinished; /* messages posted whose completion has no record */
    bool no_memory;
};

void call_walk_open(struct call_walk *walk, const struct trace *trace, const struct stream *stream,
                    double poll_gap_s);
/* Goes to the next call; false behind the last one, or when memory is out (`no_memory`). */
bool call_walk_next(struct call_walk *walk);
void call_walk_close(struct call_walk *walk);

/* The row whose time is when a message end was posted: the record of a send or of a nonblocking
 * receive; the Enter of a blocking receive, whose record comes at its end. */
uint32_t message_post_row(const struct stream *stream, const struct message *message);

/* The row in which the call that completes a message end is left; INDEX_NONE: it never completes.
 */
uint32_t message_leave_row(const struct stream *stream, const struct message *message);

/* The MPI call that posted a message end; MPI_CALL_NONE outside all regions. */
enum mpi_call message_post_call(const struct trace *trace, const struct stream *stream,
                                const struct message *message);

static inline bool message_takes_part(const struct message *message)
{
    return message->partner != INDEX_NONE && !(message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED));
}

/* Whether others' progress depends on this collective operation at all: it is matched and its
 * communicator has other members. */
bool collective_takes_part(const struct trace *trace, const struct collective *collective);

#endif
