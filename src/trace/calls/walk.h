/* The reader of recorded MPI calls: which rows of a rank form a call, and which messages and
 * operations the call posts, completes and waits for. Engines convert calls to operations or costs,
 * the pre-flight check converts them to steps.
 *
 * A polling loop is one call (doc/methods.md, section 1): tests of one request, or probes, that
 * follow each other closely without other events of the program in between, up to the one that
 * succeeds. Outside such loops each unsuccessful test or probe is a separate call.
 *
 * The tracer may have left out all tests of a loop but the first and the last. A visit with an
 * event POLLS then stands for the others (trace.h). Within a loop it counts as the number of rounds
 * in the event; outside loops its time is computation. */
#ifndef TRACE_CALLS_WALK_H
#define TRACE_CALLS_WALK_H

#include "base/array.h"
#include "trace/calls/regions.h"

enum wait_kind {
    WAIT_RECEIVE,    /* until a message has arrived */
    WAIT_SEND,       /* until a synchronous message's receive is posted */
    WAIT_SYNC,       /* until the other members of a window's group have posted or completed */
    WAIT_COLLECTIVE, /* until the members whose data it needs have arrived */
    WAIT_FINALIZE,   /* until all ranks are in MPI_Finalize */
};

struct wait {
    enum wait_kind kind;
    uint32_t index; /* of this rank's message, collective operation or one-sided synchronisation */
    uint32_t row;   /* the record of the completion; if there is none, the last Enter of the call */
    bool request;   /* an earlier call has posted it */
};

/* True if a hypothesis [wait] has removed the wait: its arrival comes before the call begins. */
static inline bool wait_is_removed(const struct stream *stream, struct wait wait)
{
    switch (wait.kind) {
    case WAIT_RECEIVE:
    case WAIT_SEND:
        return stream->messages[wait.index].flags & MESSAGE_NO_WAIT;
    case WAIT_COLLECTIVE:
        return stream->collectives[wait.index].no_wait;
    case WAIT_SYNC:
        return stream->rma_syncs[wait.index].no_wait;
    case WAIT_FINALIZE:
        return stream->finalize_no_wait;
    }
    return false;
}

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
    uint32_t row;  /* the record; for MPI_Finalize, which has none, its Enter */
    uint32_t when; /* visible to other ranks from the time of this row on (message_post_row) */
};

struct recorded_call {
    enum mpi_call mpi_call;
    uint32_t enter, leave; /* rows; of a loop the first Enter and the last Leave; outside all MPI
                              regions (MPI_CALL_NONE) the result of call_rows_around */
    uint32_t last_enter;   /* Enter of a loop's last round; else `enter`, or the record itself */
    uint32_t rounds;       /* of a polling loop; else 1 */
    uint32_t probed; /* by a probe: the message that it has matched or found, if that takes part;
                        INDEX_NONE: unknown */
    bool matched;    /* by a matched probe (MPI_Mprobe, MPI_Improbe) */
    bool probes;     /* the call waits for `probed`, which a later call receives */
    bool unrecorded; /* its waits have no records: see call_walk.unfinished */
};

#define CALL_POLL_GAP_S 20e-6 /* the default of [replay] poll_gap */

/* Visits the calls of one stream, in order. */
struct call_walk {
    const struct trace *trace;
    const struct stream *stream;
    uint64_t poll_gap;  /* ticks between two rounds of a polling loop at most */
    uint32_t row;       /* where the search for the next call begins */
    uint32_t no_loop;   /* no polling loop begins before this row */
    uint32_t chain_end; /* call_walk_gap: the last Leave of the tests that follow each other ... */
    bool chain_completes; /* ... and whether one of them, at that Leave, completes a request */
    uint32_t next_record; /* the first record after the last probe */
    struct recorded_call call;
    ARRAY(struct post) posts; /* the call's posts, in order of their records */
    ARRAY(struct wait) waits; /* what the call completes or waits for, in the same order */
    ARRAY(uint32_t)
    others; /* rows of other records: tests, one-sided operations, collective operations without
               other members */
    ARRAY(struct wait)
    unfinished; /* requests posted so far whose completion has no record in the trace */
    bool out_of_memory;
};

/* Begins before the first call. The trace must be matched. Tests of a request that are at most
 * `poll_gap_s` seconds apart are one polling loop; 0: CALL_POLL_GAP_S. Cannot fail. Close the walk
 * with call_walk_close. */
void call_walk_open(struct call_walk *walk, const struct trace *trace, const struct stream *stream,
                    double poll_gap_s);
/* Goes to the next call that communicates: sets walk->call, posts, waits and others. False after
 * the last call, or when memory is out (walk->out_of_memory). */
bool call_walk_next(struct call_walk *walk);
void call_walk_close(struct call_walk *walk);

/* What the calls of a stream depend on, between two rounds that may belong to a polling loop. */
enum poll_gap {
    POLL_GAP_ANY,   /* the time between them does not matter */
    POLL_GAP_SHORT, /* it is at most `walk->poll_gap`, so that they are one loop */
    POLL_GAP_LONG,  /* it is more, so that they are not */
};

/* What happens in the time from `leave`, a Leave of the stream, to the next row. As long as no gap
 * of a stream gets from one side of `poll_gap` to the other, a walk finds the same calls. Not for a
 * walk that is used by call_walk_next; ask for rows in ascending order, or it takes longer. */
enum poll_gap call_walk_gap(struct call_walk *walk, uint32_t leave);

/* Where walk->call begins and ends within its rows (regions.h). A polling loop extends from the
 * begin of its first round to the end of its last. */
struct call_rows recorded_call_rows(const struct call_walk *walk, const struct tracer_cost *cost);

/* The Enter of the rank's last MPI_Finalize or MPI_Session_finalize; INDEX_NONE: there is none. */
uint32_t stream_finalize_row(const struct trace *trace, const struct stream *stream);

#endif
