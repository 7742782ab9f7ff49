/* What MPI's rules mean for recorded messages and one-sided synchronisations: when a send may
 * return, where a message end is posted and completed, and for which partners a synchronisation
 * waits. All engines, checks and searches use these functions, for messages and synchronisations
 * that take part (message_takes_part and others in trace.h). The trace must be matched. */
#ifndef TRACE_CALLS_SEMANTICS_H
#define TRACE_CALLS_SEMANTICS_H

#include "trace/trace.h"

/* When a send may return. */
enum send_mode {
    SEND_STANDARD,    /* when MPI has buffered the message, or its receive is posted */
    SEND_BUFFERED,    /* immediately */
    SEND_SYNCHRONOUS, /* when its receive is posted */
    SEND_READY,       /* as standard: the program says that the receive is posted */
};

/* The mode in which an MPI call sends, also for persistent and nonblocking calls. */
enum send_mode send_mode_of_call(enum mpi_call call);

/* The mode of a send. For a persistent send it is the mode of MPI_..._init, otherwise that of the
 * call that posts it. */
static inline enum send_mode message_send_mode(const struct message *message)
{
    return (enum send_mode)(message->flags / MESSAGE_SEND_MODE % 4);
}

/* The row with the time at which a message end was posted. For sends and nonblocking receives this
 * is their record; for a blocking receive it is the Enter, because its record is written at its
 * end. */
uint32_t message_post_row(const struct stream *stream, const struct message *message);

/* The Leave of the call that completes a message end; INDEX_NONE: it never completes. */
uint32_t message_leave_row(const struct stream *stream, const struct message *message);

/* The MPI call that posted a message end; MPI_CALL_NONE outside all regions. */
enum mpi_call message_post_call(const struct trace *trace, const struct stream *stream,
                                const struct message *message);

/* MPI_Win_wait waits for MPI_Win_complete of the origins. MPI_Win_start or MPI_Win_complete waits
 * for MPI_Win_post of the targets; MPI does not define which of the two. A call that ended before
 * the targets had posted has not waited. */

/* True if other ranks wait for this synchronisation. */
bool sync_arrives(const struct rma_sync *sync);

/* The synchronisation for whose partners the one with this index waits: for MPI_Win_complete the
 * MPI_Win_start of its epoch, otherwise itself. NULL: it does not wait. */
const struct rma_sync *sync_awaited(const struct stream *stream, uint32_t index);

/* The kind of the calls that belong to calls of the kind RMA_SYNC_POST, _START, _COMPLETE or _WAIT
 * at the members of their groups. */
enum rma_sync_kind rma_sync_counterpart(enum rma_sync_kind kind);

/* True if the synchronisation may return without waiting although sync_awaited is not NULL. */
bool sync_may_pass(const struct rma_sync *sync);

#endif
