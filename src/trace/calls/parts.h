/* Who takes part in communication, and how: decided here for all engines, checks and searches. The
 * trace must be matched. */
#ifndef TRACE_CALLS_PARTS_H
#define TRACE_CALLS_PARTS_H

#include "trace/trace.h"

/* --- messages --------------------------------------------------------------------------------- */

/* True unless the message was cancelled, cut by a transformation or dropped as unfinished. The only
 * question about messages that may be asked before matching. */
static inline bool message_is_kept(const struct message *message)
{
    return !(message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED));
}

/* True if the message is kept and its other end is known: then both ends take part. */
static inline bool message_takes_part(const struct message *message)
{
    return message->partner != INDEX_NONE && message_is_kept(message);
}

/* When a send may return. */
enum send_mode {
    SEND_STANDARD,    /* when MPI has buffered the message, or its receive is posted */
    SEND_BUFFERED,    /* at once */
    SEND_SYNCHRONOUS, /* when its receive is posted */
    SEND_READY,       /* as standard: the program says that the receive is posted */
};

/* The mode in which an MPI call sends: also of its persistent and nonblocking variants. */
enum send_mode send_mode_of_call(enum mpi_call call);

/* The mode of a send: that of the call that posts it, or of MPI_..._init for a persistent one. */
static inline enum send_mode message_send_mode(const struct message *message)
{
    return (enum send_mode)(message->flags / MESSAGE_SEND_MODE % 4);
}

/* The row whose time is when a message end was posted: the record of a send or of a nonblocking
 * receive; the Enter of a blocking receive, whose record comes at its end. */
uint32_t message_post_row(const struct stream *stream, const struct message *message);

/* The row in which the call that completes a message end is left; INDEX_NONE: it never completes.
 */
uint32_t message_leave_row(const struct stream *stream, const struct message *message);

/* The MPI call that posted a message end; MPI_CALL_NONE outside all regions. */
enum mpi_call message_post_call(const struct trace *trace, const struct stream *stream,
                                const struct message *message);

/* --- collective operations -------------------------------------------------------------------- */

/* True if the operation is matched and its communicator has other members, so that others may
 * depend on it. */
static inline bool collective_takes_part(const struct trace *trace,
                                         const struct collective *collective)
{
    return collective->instance != INDEX_NONE && !trace->definitions->comms[collective->comm].self;
}

/* --- windows ---------------------------------------------------------------------------------- */

/* True if the window is one of MPI's. Windows of other paradigms take no part. */
static inline bool window_takes_part(const struct definitions *definitions, uint32_t window)
{
    return definitions->comms[definitions->windows[window].own].mpi;
}

/* MPI_Win_start and MPI_Win_complete wait for the targets' MPI_Win_post, MPI_Win_wait waits for the
 * origins' MPI_Win_complete. MPI leaves open in which of the first two an origin waits, if in any:
 * what was left before the targets were there has not waited. */

/* True if others wait for this synchronisation. */
bool sync_arrives(const struct rma_sync *sync);

/* The synchronisation whose partners the stream's `index`-th waits for: itself, or of
 * MPI_Win_complete its MPI_Win_start; NULL: it waits for nobody. */
const struct rma_sync *sync_awaited(const struct stream *stream, uint32_t index);

/* True if it need not wait although `sync_awaited` names somebody. */
bool sync_may_pass(const struct rma_sync *sync);

#endif
