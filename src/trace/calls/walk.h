/* The one reader of recorded MPI calls: which rows of a rank are one call, what the call posts,
 * what it completes, and what it waits for. Engines turn that into operations or prices, the
 * preflight check into steps. Who takes part is decided in parts.h.
 *
 * A polling loop is one call (doc/methods.md, section 1): tests of one request, or probes, that
 * follow each other closely with nothing of the program between them, up to the one that succeeds.
 * Tests and probes without success that no such loop ends are calls of their own. */
#ifndef TRACE_CALLS_WALK_H
#define TRACE_CALLS_WALK_H

#include "base/array.h"
#include "trace/calls/regions.h"

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
    uint32_t row;   /* the record of the completion; where there is none, the call's last Enter */
    bool request;   /* an earlier call has posted it; it is not the call's own */
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
    uint32_t row;  /* the record; MPI_Finalize has none: its Enter */
    uint32_t when; /* that row's time is when others can see it (message_post_row) */
};

struct recorded_call {
    enum mpi_call mpi_call;
    uint32_t enter, leave; /* rows; of a loop the first Enter and the last Leave. Outside all MPI
                              regions (MPI_CALL_NONE) what call_rows_around makes of the record */
    uint32_t last_enter;   /* of a loop the last round's; else `enter`, or the record itself */
    uint32_t rounds;       /* of a polling loop; 1: none */
    uint32_t probed;       /* of a probe: the message that it has matched or that it announces, one
                              that takes part; INDEX_NONE: none is known */
    bool matched;          /* `probed` was taken by a matched probe */
    bool probes;           /* it waits for `probed`, which a later call receives */
    bool unrecorded;       /* its waits have no records: see `unfinished` */
};

/* Walks over the calls of one stream, in order. */
struct call_walk {
    const struct trace *trace;
    const struct stream *stream;
    uint64_t poll_gap;    /* ticks between two rounds of a polling loop at most */
    uint32_t row;         /* where to look for the next call */
    uint32_t no_loop;     /* no polling loop begins before this row */
    uint32_t next_record; /* the first one behind the last probe that was looked at */
    struct recorded_call call;
    ARRAY(struct post) posts; /* of the call, in order of their records, */
    ARRAY(struct wait) waits; /* and what it completes or waits for, likewise */
    ARRAY(uint32_t)
    others;                        /* rows of its other records: tests, what is one-sided, and
                                      collective operations of this rank alone */
    ARRAY(struct wait) unfinished; /* requests posted so far whose completion has no record */
    bool no_memory;
};

/* The trace must be matched. `poll_gap_s` in seconds. Nothing can fail; to be closed. */
void call_walk_open(struct call_walk *walk, const struct trace *trace, const struct stream *stream,
                    double poll_gap_s);
/* Goes to the next call that communicates; what `walk` said of the one before is gone. False behind
 * the last one, or when memory is out (`no_memory`). */
bool call_walk_next(struct call_walk *walk);
void call_walk_close(struct call_walk *walk);

/* Where the call itself begins and ends among its rows (regions.h): of a loop, the first round's
 * begin and the last one's end. */
struct call_rows recorded_call_rows(const struct call_walk *walk, const struct tracer_cost *cost);

/* The row that enters the rank's last call of MPI_Finalize; INDEX_NONE: it has none. */
uint32_t stream_finalize_row(const struct trace *trace, const struct stream *stream);

#endif
