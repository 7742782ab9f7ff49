/* How messages and synchronisations take part in communication, decided once for all engines,
 * checks and searches. message_takes_part and the like (trace.h) tell whether they do. The trace
 * must be matched. */
#ifndef TRACE_CALLS_PARTS_H
#define TRACE_CALLS_PARTS_H

#include "trace/trace.h"

/* When a send may return. */
enum send_mode {
    SEND_STANDARD,    /* when MPI has buffered the message, or its receive is posted */
    SEND_BUFFERED,    /* at once */
    SEND_SYNCHRONOUS, /* when its receive is posted */
    SEND_READY,       /* as standard: the program says that the receive is posted */
};

/* The mode in which an MPI call sends, also for persistent and nonblocking calls. */
enum send_mode send_mode_of_call(enum mpi_call call);

/* The mode of a send: that of the call that posts it; for a persistent one that of MPI_..._init. */
static inline enum send_mode message_send_mode(const struct message *message)
{
    return (enum send_mode)(message->flags / MESSAGE_SEND_MODE % 4);
}

/* The row at whose time a message end was posted: the record of a send or of a nonblocking receive,
 * the Enter of a blocking receive, whose record is at its end. */
uint32_t message_post_row(const struct stream *stream, const struct message *message);

/* The Leave of the call that completes a message end; INDEX_NONE: it never completes. */
uint32_t message_leave_row(const struct stream *stream, const struct message *message);

/* The MPI call that posted a message end; MPI_CALL_NONE outside all regions. */
enum mpi_call message_post_call(const struct trace *trace, const struct stream *stream,
                                const struct message *message);

/* MPI_Win_start and MPI_Win_complete wait for the targets' MPI_Win_post, MPI_Win_wait waits for the
 * origins' MPI_Win_complete. MPI does not define in which of the first two an origin waits, if at
 * all: a call that ended before the targets had posted has not waited. */

/* True if others wait for this synchronisation. */
bool sync_arrives(const struct rma_sync *sync);

/* The synchronisation whose partners the stream's `index`-th one waits for: for MPI_Win_complete
 * its MPI_Win_start, else itself; NULL: it does not wait. */
const struct rma_sync *sync_awaited(const struct stream *stream, uint32_t index);

/* True if it need not wait although `sync_awaited` is not NULL. */
bool sync_may_pass(const struct rma_sync *sync);

#endif
