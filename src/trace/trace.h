/* The trace in memory, which every stage reads and writes.
 *
 * A trace has a stream of events for each rank. The processes of a tool share the ranks: each owns
 * a contiguous block of them. Definitions and call tree are the same on all processes.
 *
 * A stream holds its events in three columns: time, kind and argument, 13 bytes per event. Row i of
 * the columns is event i, in the order of the archive, which is the order of time. Messages,
 * collective operations and one-sided communication have separate tables; the argument of their
 * events is an index into the table. The argument by kind:
 *
 *   kind                       argument
 *   ENTER                      call path (trace->calltree)
 *   LEAVE                      row of the ENTER that it ends
 *   PROGRAM_BEGIN, _END        as ENTER and LEAVE; the region is named after the program
 *   SEND, RECV                 message
 *   ISEND, ISEND_COMPLETE      message
 *   IRECV_REQUEST, IRECV       message (one record for posting and completion)
 *   MATCHED                    message that a matched probe took; INDEX_NONE: never received. The
 *                              archive has no such event: an attribute of the Leave that follows
 *                              stands for it
 *   REQUEST_TEST, _CANCELLED   message, or COLLECTIVE_BIT | collective; INDEX_NONE: unknown
 *   COLLECTIVE_BEGIN, _END     collective
 *   NBC_REQUEST, NBC_COMPLETE  collective (nonblocking; posted and completed)
 *   COMM_CREATE, COMM_DESTROY  communicator
 *   RMA_WIN_CREATE, _DESTROY   window
 *   RMA_OP                     one-sided operation
 *   RMA_SYNC                   one-sided synchronisation or completion
 *   POLLS                      number of failed tests that the tracer has left out. The event lies
 *                              between the ENTER and the LEAVE of a visit that stands for all of
 *                              them and takes as long as they spent in MPI
 *                              (trace/calls/walk.h). The archive has no such event: an attribute
 *                              of the next Enter stands for it
 *   BUFFER_FLUSH               flush (its end; it begins at the event's time)
 *   MEASUREMENT_ON_OFF         mode (OTF2_MeasurementMode)
 *   OTHER                      other event: kept for saving, not interpreted
 *
 * See also struct stream and struct trace below. INDEX_NONE stands for no index and no row. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/arena.h"
#include "base/collective_op.h"
#include "base/mpi/processes.h"
#include "base/otf2_attributes.h"
#include "base/sort.h"
#include "trace/calltree.h"
#include "trace/definitions.h"

#include <assert.h>
#include <stdint.h>

/* X(identifier, name in messages) */
#define EVENT_KINDS(X)                               \
    X(ENTER, "Enter")                                \
    X(LEAVE, "Leave")                                \
    X(PROGRAM_BEGIN, "ProgramBegin")                 \
    X(PROGRAM_END, "ProgramEnd")                     \
    X(SEND, "MpiSend")                               \
    X(RECV, "MpiRecv")                               \
    X(ISEND, "MpiIsend")                             \
    X(ISEND_COMPLETE, "MpiIsendComplete")            \
    X(IRECV_REQUEST, "MpiIrecvRequest")              \
    X(IRECV, "MpiIrecv")                             \
    X(MATCHED, "matched probe")                      \
    X(REQUEST_TEST, "MpiRequestTest")                \
    X(REQUEST_CANCELLED, "MpiRequestCancelled")      \
    X(COLLECTIVE_BEGIN, "MpiCollectiveBegin")        \
    X(COLLECTIVE_END, "MpiCollectiveEnd")            \
    X(NBC_REQUEST, "NonBlockingCollectiveRequest")   \
    X(NBC_COMPLETE, "NonBlockingCollectiveComplete") \
    X(COMM_CREATE, "CommCreate")                     \
    X(COMM_DESTROY, "CommDestroy")                   \
    X(RMA_WIN_CREATE, "RmaWinCreate")                \
    X(RMA_WIN_DESTROY, "RmaWinDestroy")              \
    X(RMA_OP, "one-sided operation")                 \
    X(RMA_SYNC, "one-sided synchronisation")         \
    X(POLLS, "tests left out")                       \
    X(BUFFER_FLUSH, "BufferFlush")                   \
    X(MEASUREMENT_ON_OFF, "MeasurementOnOff")        \
    X(OTHER, "other event")

enum event_kind {
#define X(identifier, name) EVENT_##identifier,
    EVENT_KINDS(X)
#undef X
        EVENT_KIND_COUNT
};

const char *event_kind_name(enum event_kind kind);

/* True for the kinds that enter and leave regions. */
static inline bool event_opens(uint8_t kind)
{
    return kind == EVENT_ENTER || kind == EVENT_PROGRAM_BEGIN;
}

static inline bool event_closes(uint8_t kind)
{
    return kind == EVENT_LEAVE || kind == EVENT_PROGRAM_END;
}

#define COLLECTIVE_BIT 0x80000000u /* in the argument of REQUEST_TEST and REQUEST_CANCELLED */
#define PEER_UNKNOWN   UINT32_MAX  /* a receive that never completed has no known source */

enum message_flag {
    MESSAGE_SEND = 1 << 0,        /* this is the sender's end */
    MESSAGE_NONBLOCKING = 1 << 1, /* posted and completed by different events */
    MESSAGE_PERSISTENT = 1 << 2,
    MESSAGE_ANY_SOURCE = 1 << 3, /* the receive was posted with MPI_ANY_SOURCE */
    MESSAGE_ANY_TAG = 1 << 4,
    MESSAGE_CANCELLED = 1 << 5,
    MESSAGE_CUT = 1 << 6,     /* dropped by a transformation or as unfinished; takes no part */
    MESSAGE_MATCHED = 1 << 7, /* a probe matched the receive, at the row MATCHED */
    MESSAGE_SEND_MODE =
        1 << 8, /* multiplied by enum send_mode (trace/calls/semantics.h): two bits */
    MESSAGE_UNTOUCHED = 1 << 10, /* received into memory that the process had not touched before */
    MESSAGE_PARTITIONED =
        1 << 11, /* of MPI_Psend_init or MPI_Precv_init; matches only others of these */
    MESSAGE_NO_WAIT = 1 << 12,     /* [wait]: no call of this rank waits for the other end */
    MESSAGE_NOT_AWAITED = 1 << 13, /* [wait]: no call of the other rank waits for this end */
};

/* One end of a point-to-point message. 48 bytes. */
struct message {
    uint64_t bytes;
    uint32_t comm;
    uint32_t peer; /* rank in comm (in the remote group of an intercommunicator), or PEER_UNKNOWN */
    uint32_t tag;
    uint32_t post;         /* row of SEND, RECV, ISEND, IRECV_REQUEST */
    uint32_t completion;   /* row of ISEND_COMPLETE, IRECV; = post if blocking; INDEX_NONE: never */
    uint32_t partner_rank; /* world rank of the peer, INDEX_NONE if unknown */
    uint32_t partner;   /* the other end's index in its rank's messages; INDEX_NONE: not matched */
    uint16_t flags;     /* enum message_flag */
    uint16_t type_size; /* bytes of one element of the datatype, 0 if unknown */
    uint32_t recorded;  /* its index in the recording, also after transformations; INDEX_NONE: added
                           by a transformation */
    uint32_t types;     /* 1 + group SILAS::types of this end; 0: contiguous, or unknown */
};

/* Values of `root` that are not a rank of the communicator, as in OTF2. */
#define ROOT_NONE       UINT32_MAX       /* not rooted (or unknown) */
#define ROOT_SELF       (UINT32_MAX - 1) /* intercommunicator: MPI_ROOT */
#define ROOT_THIS_GROUP (UINT32_MAX - 2) /* intercommunicator: MPI_PROC_NULL */

enum collective_flag {
    COLLECTIVE_NONBLOCKING = 1 << 0,
    COLLECTIVE_NEIGHBOUR = 1 << 1,      /* a neighbourhood collective */
    COLLECTIVE_WINDOW = 1 << 2,         /* a window made or freed, or a fence */
    COLLECTIVE_IN_PLACE = 1 << 3,       /* called with MPI_IN_PLACE; the own part is not counted */
    COLLECTIVE_MAYBE_IN_PLACE = 1 << 4, /* the archive does not state whether it was */
    COLLECTIVE_LOCAL = 1 << 5,          /* MPI_Comm_free, and calls on files that matching has found
                                           to be alike: no member waits for another */
    COLLECTIVE_UNTOUCHED =
        1 << 6,                  /* received into memory that the process had not touched before */
    COLLECTIVE_LEFT_OUT = 1 << 7 /* matching has found that members are missing or disagree */
};

/* One rank's part in a collective operation. 72 bytes. trace/calls/collective_operations.h
 * describes the operations. */
struct collective {
    uint64_t sent, received; /* bytes, by Score-P's rules */
    uint32_t comm;
    uint32_t root;           /* rank in comm, or ROOT_... */
    uint32_t begin;          /* row of COLLECTIVE_BEGIN or NBC_REQUEST */
    uint32_t end;            /* row of COLLECTIVE_END or NBC_COMPLETE; INDEX_NONE: never */
    uint32_t instance;       /* number among the operations on comm; INDEX_NONE: not matched */
    uint8_t op : 7;          /* enum collective_op */
    uint8_t no_wait : 1;     /* [wait]: this rank does not wait for other members */
    uint8_t flags;           /* enum collective_flag */
    uint16_t type_size;      /* bytes of one element, 0 if unknown; of windows: the assertion */
    uint32_t send_counts;    /* group of byte counts, one per peer in rank order; */
    uint32_t receive_counts; /* INDEX_NONE if unknown */
    uint32_t recorded;       /* as in struct message */
    union {
        uint32_t
            window; /* COLLECTIVE_WINDOW: its index; `comm` is the window's `own` communicator */
        uint32_t reduction; /* otherwise: operator and kind of element of a reduction
                               (reduction_pack); INDEX_NONE: unknown, or no reduction */
    };
    uint32_t destinations; /* COLLECTIVE_NEIGHBOUR: groups of ranks, */
    uint32_t sources;      /* INDEX_NONE if unknown. Otherwise see collective_persistent */
    uint32_t types;        /* as in struct message; of reductions also their operator */
};

/* The number of a nonblocking operation among the persistent operations on its communicator, in the
 * order of their initialisation; INDEX_NONE: it is not persistent, or that is unknown. It is where
 * others have their sources; neighbourhood collectives have no reduction. */
static inline uint32_t collective_persistent(const struct collective *collective)
{
    const uint32_t number =
        collective->flags & COLLECTIVE_NEIGHBOUR ? collective->reduction : collective->sources;
    return collective->flags & COLLECTIVE_NONBLOCKING ? number : INDEX_NONE;
}

static inline void collective_set_persistent(struct collective *collective, uint32_t number)
{
    *(collective->flags & COLLECTIVE_NEIGHBOUR ? &collective->reduction : &collective->sources) =
        number;
}

/* The operator (enum silas_operation) and the kind of element (enum silas_element, both in
 * base/otf2_attributes.h) of a reduction as one number. */
static inline uint32_t reduction_pack(uint32_t operation, uint32_t element)
{
    return operation == 0 && element == 0 ? INDEX_NONE : (element & 0xff) << 8 | (operation & 0xff);
}
static inline uint32_t reduction_operation(uint32_t reduction)
{
    return reduction == INDEX_NONE ? 0 : reduction & 0xff;
}
static inline uint32_t reduction_element(uint32_t reduction)
{
    return reduction == INDEX_NONE ? 0 : reduction >> 8 & 0xff;
}

enum rma_kind {
    RMA_PUT,
    RMA_GET,
    RMA_ATOMIC, /* the first of these: RMA_ATOMIC + OTF2_RmaAtomicType */
};

/* A put, a get, an atomic operation, seen from the origin. 40 bytes. */
struct rma_op {
    uint64_t sent, received; /* bytes */
    uint64_t matching;       /* the same number as in its completion */
    uint32_t window;
    uint32_t target;   /* rank in the window's communicator */
    uint8_t kind;      /* enum rma_kind */
    uint8_t operation; /* of atomics: enum silas_operation */
    uint16_t type_size;
    uint32_t types; /* as in struct message */
};

/* X(identifier): kinds of one-sided synchronisation. The archive has one kind of record for POST to
 * WAIT; the MPI call around the record distinguishes them. GROUP is such a record outside these
 * calls. */
#define RMA_SYNCS(X)                                                    \
    X(POST)                                                             \
    X(START)                                                            \
    X(COMPLETE)                                                         \
    X(WAIT)                                                             \
    X(GROUP)                                                            \
    X(REQUEST_LOCK)                                                     \
    X(ACQUIRE_LOCK)                                                     \
    X(TRY_LOCK)                                                         \
    X(RELEASE_LOCK)                                                     \
    X(DONE_BLOCKING)    /* operations with this matching id are done */ \
    X(DONE_NONBLOCKING) /* at the origin, */                            \
    X(DONE_REMOTE)      /* at the target, */                            \
    X(TEST)             /* not yet */                                   \
    X(DIRECT)           /* RmaSync */                                   \
    X(WAIT_CHANGE)

enum rma_sync_kind {
#define X(identifier) RMA_SYNC_##identifier,
    RMA_SYNCS(X)
#undef X
        RMA_SYNC_KIND_COUNT
};

enum { RMA_LOCK_EXCLUSIVE = 0, RMA_LOCK_SHARED = 1 }; /* OTF2_LockType */

/* A one-sided synchronisation or completion. 32 bytes. */
struct rma_sync {
    uint64_t matching; /* of DONE_..., TEST; of locks: OTF2's lock id */
    uint32_t window;
    uint32_t peer;     /* locks and DIRECT: rank in the window's communicator, INDEX_NONE for all */
    uint32_t group;    /* POST to GROUP */
    uint32_t row;      /* the row of its event */
    uint32_t partners; /* POST to WAIT, after matching: index into rma_partners of the counterpart
                          of the group's first member; INDEX_NONE: not matched */
    uint8_t kind;      /* enum rma_sync_kind */
    uint8_t mode;      /* locks: OTF2_LockType; groups: OTF2_RmaSyncLevel; DIRECT: its type */
    uint8_t assertion; /* enum silas_assertion */
    bool no_wait;      /* [wait]: it does not wait for its partners */
};

/* True unless the message was cancelled, cut by a transformation or dropped as unfinished. This is
 * the only function on messages that may be used before matching. */
static inline bool message_is_kept(const struct message *message)
{
    return !(message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED));
}

/* True if the message is kept and matched. Then its other end takes part, too. */
static inline bool message_takes_part(const struct message *message)
{
    return message->partner != INDEX_NONE && message_is_kept(message);
}

/* True if the operation is matched and its communicator has other members, so that others may
 * depend on it. */
static inline bool collective_takes_part(const struct definitions *definitions,
                                         const struct collective *collective)
{
    return collective->instance != INDEX_NONE && !definitions->comms[collective->comm].self;
}

/* True for windows of MPI. Windows of other paradigms take no part. */
static inline bool window_takes_part(const struct definitions *definitions, uint32_t window)
{
    return definitions->comms[definitions->windows[window].own].mpi;
}

/* True if the rank is in the window's communicator, or the window takes no part. */
static inline bool window_has_peer(const struct definitions *definitions, uint32_t window,
                                   uint32_t caller, uint32_t peer)
{
    return !window_takes_part(definitions, window) ||
           comm_has_peer(definitions, definitions->windows[window].comm, caller, peer);
}

/* An event that SILAS keeps without interpreting it: the type of the record, and its fields as
 * read. */
struct other_event {
    uint8_t type; /* enum other_type of trace/otf2_records.h */
    uint64_t fields[3];
};

/* The events of one location. */
struct stream {
    uint32_t rank;     /* world rank; INDEX_NONE for a location that belongs to no rank */
    uint32_t location; /* index into definitions->locations */
    uint32_t count;    /* events: the columns are [count] */
    uint64_t *time;    /* ticks, clock offsets applied; ascending */
    uint8_t *kind;     /* enum event_kind */
    uint32_t *arg;     /* see the table above */
    struct message *messages;
    uint32_t message_count;
    struct collective *collectives;
    uint32_t collective_count;
    struct rma_op *rma_ops;
    uint32_t rma_op_count;
    struct rma_sync *rma_syncs;
    uint32_t rma_sync_count;
    uint64_t *window_bytes; /* [window]: size of this rank's part, UINT64_MAX: unknown; NULL: all
                               are unknown */
    uint32_t *rma_partners; /* see rma_sync.partners: indices into rma_syncs of other ranks */
    uint64_t *flushes;      /* end times of buffer flushes */
    uint32_t flush_count;
    struct other_event *others;
    uint32_t other_count;
    struct thread_ends *ends;  /* only while loading (trace/load/load_private.h); NULL: none */
    const struct map *dropped; /* of a slice: see trace/channel.h; NULL: nothing is before it */
    bool finalize_no_wait;     /* [wait]: MPI_Finalize does not wait for the other ranks */
};

/* X(array, number of its items): the tables of a stream. */
#define STREAM_TABLES(X)             \
    X(messages, message_count)       \
    X(collectives, collective_count) \
    X(rma_ops, rma_op_count)         \
    X(rma_syncs, rma_sync_count)     \
    X(flushes, flush_count)          \
    X(others, other_count)

/* True if the region entered at a row stands for failed tests that the tracer has left out. */
static inline bool visit_is_left_out(const struct stream *stream, uint32_t enter)
{
    return enter + 1 < stream->count && stream->kind[enter + 1] == EVENT_POLLS;
}

/* The part of the bandwidth of memory that a thread needs to compute at full speed, 0 to 1. */
struct bandwidth_shares {
    const float *of;     /* [call path] */
    uint32_t path_count; /* further call paths need none */
};

struct trace {
    struct arena *arena;         /* owns streams and their columns; definitions have their own */
    struct processes *processes; /* of the tool; not owned */
    char *path;                  /* of the anchor file */
    struct definitions *definitions;
    struct calltree calltree;
    uint32_t rank_count;              /* = definitions->rank_count */
    uint32_t first_rank, owned_count; /* this process owns ranks first_rank .. + owned_count - 1 */
    struct stream *streams;           /* [owned_count], the ranks' master threads, in rank order */
    struct stream *carried; /* [carried_count], other locations of the owned ranks; on the owner of
                               rank 0 also the locations without a rank */
    uint32_t carried_count;
    uint64_t begin, end; /* first and last time stamp over all ranks' master threads, ticks */
    bool matched;        /* partner and instance are filled (trace/match/match.h) */
    const struct trace *origin; /* not NULL: this is a view, which shares everything with `origin`
                                   but the time columns */
    const struct environment *environment; /* trace/environment.h; NULL: as recorded */
    const struct trace *recording;         /* the trace before transformations; NULL: as recorded */
    const struct bandwidth_shares *bandwidth; /* that threads of a rank share; NULL: unknown */
    bool borrows; /* definitions and call tree belong to another trace, which outlives this one */
};

void trace_destroy(struct trace *trace);

/* A trace that shares everything with `origin` except the time columns, which are copies for an
 * engine to fill. `origin` must outlive it. NULL and an error when memory is out. */
struct trace *trace_view(const struct trace *origin, struct error *error);
/* The trace that this one is a view of; if it is none, the trace itself. */
static inline const struct trace *trace_origin(const struct trace *trace)
{
    return trace->origin ? trace->origin : trace;
}

/* Collective. Sets begin and end from the time columns, after a stage has changed them. */
void trace_update_span(struct trace *trace);

/* Moves the time stamps of one location along with those of another. Maps `times` (ascending, in
 * place) by the piecewise linear function that maps before[i] to after[i]; times outside shift by
 * as much as the first or last point. Without points nothing changes. */
void warp_times(const uint64_t *before, const uint64_t *after, size_t points, uint64_t *times,
                size_t count);

/* The times of the events of a stream in trace->carried. In a view they move along with those of
 * its rank, if this process owns it. The caller frees them. NULL if out of memory. */
uint64_t *trace_carried_times(const struct trace *trace, const struct stream *carried);

/* The first rank that process number `process` owns if `processes` processes share the ranks. */
uint32_t trace_first_rank(uint32_t rank_count, int processes, int process);

/* The events of the owned ranks, without their other threads. */
uint64_t trace_owned_events(const struct trace *trace);

/* Collective: the events of all ranks, without their other threads. */
int64_t trace_count_events(const struct trace *trace);

/* For readers of traces: distributes the ranks of the definitions over the processes and creates
 * the streams of this process, still empty: the master threads and the other locations of its
 * ranks, on the first process also the locations without a rank. */
enum status trace_choose_streams(struct trace *trace, struct error *error);

/* The process that owns a rank. */
int trace_owner(const struct trace *trace, uint32_t rank);

/* The stream of an owned rank, NULL if another process owns it. */
struct stream *trace_stream(const struct trace *trace, uint32_t rank);

/* The i-th of all streams on this process, i < owned_count + carried_count. */
static inline struct stream *trace_any_stream(const struct trace *trace, uint32_t i)
{
    return i < trace->owned_count ? &trace->streams[i] : &trace->carried[i - trace->owned_count];
}

/* Ticks to seconds. */
static inline double trace_seconds(const struct trace *trace, double ticks)
{
    return ticks / (double)trace->definitions->ticks_per_second;
}

/* The region that a call path ends with. */
static inline const struct region *callpath_region(const struct trace *trace, uint32_t path)
{
    assert(path < trace->calltree.paths.count);
    return &trace->definitions->regions[trace->calltree.paths.items[path].region];
}

/* The MPI call of a call path; MPI_CALL_NONE if it is not an MPI call or is CALLPATH_NONE. */
static inline enum mpi_call callpath_call(const struct trace *trace, uint32_t path)
{
    if (path == CALLPATH_NONE)
        return MPI_CALL_NONE;
    return callpath_region(trace, path)->mpi_call;
}

/* True if the call path is an MPI call that communicates; otherwise a rank computes there. */
static inline bool callpath_communicates(const struct trace *trace, uint32_t path)
{
    return mpi_class_communicates(mpi_call_infos[callpath_call(trace, path)].class);
}

/* True if a thread computes in the call path: it neither communicates nor waits for other threads.
 * Also outside of all regions (CALLPATH_NONE). */
static inline bool callpath_computes(const struct trace *trace, uint32_t path)
{
    return path == CALLPATH_NONE || (!callpath_communicates(trace, path) &&
                                     !region_waits_for_threads(callpath_region(trace, path)));
}

/* The call path at row `row` of the stream (that of the innermost open region), and the row of that
 * region's ENTER; both none outside all regions. O(distance to that ENTER): for messages only. */
uint32_t stream_callpath_at(const struct stream *stream, uint32_t row);
uint32_t stream_enter_at(const struct stream *stream, uint32_t row);

/* The first row whose time is not before `time` (ticks); stream->count if there is none. */
static inline uint32_t stream_row_at(const struct stream *stream, uint64_t time)
{
    return first_where(0, stream->count, row, stream->time[row] >= time);
}

/* The innermost call path after row `row`, if it was `path` before. CALLPATH_NONE outside all
 * regions. */
static inline uint32_t callpath_after(const struct calltree *calltree, const struct stream *stream,
                                      uint32_t row, uint32_t path)
{
    assert(row < stream->count);
    if (event_opens(stream->kind[row]))
        return stream->arg[row];
    if (event_closes(stream->kind[row]))
        return calltree->paths.items[stream->arg[stream->arg[row]]].parent;
    return path;
}

/* The innermost open call path just before a row; CALLPATH_NONE if there is none. */
static inline uint32_t stream_path_before(const struct trace *trace, const struct stream *stream,
                                          uint32_t row)
{
    if (row == 0)
        return CALLPATH_NONE;
    return event_closes(stream->kind[row - 1])
               ? callpath_after(&trace->calltree, stream, row - 1, CALLPATH_NONE)
               : stream_callpath_at(stream, row - 1);
}

/* Writes the place of an error, "rank 3, event 1234 (MpiSend) at 1.234567 s in app/main/MPI_Send",
 * into `text`, which it returns. */
char *trace_describe_event(const struct trace *trace, const struct stream *stream, uint32_t row,
                           char *text, size_t size);

#endif
