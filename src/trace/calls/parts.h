/* How messages and synchronisations take part in communication (message_takes_part and its like in
 * trace.h say whether): decided here for all engines, checks and searches. The trace must be
 * matched. */
#ifndef TRACE_CALLS_PARTS_H
#define TRACE_CALLS_PARTS_H

#include "trace/trace.h"

/* --- messages --------------------------------------------------------------------------------- */

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

/* --- windows ---------------------------------------------------------------------------------- */

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
