#include "trace/calls/semantics.h"

enum send_mode send_mode_of_call(enum mpi_call call)
{
    switch (call) {
    case MPI_CALL_BSEND:
    case MPI_CALL_IBSEND:
    case MPI_CALL_BSEND_INIT:
        return SEND_BUFFERED;
    case MPI_CALL_SSEND:
    case MPI_CALL_ISSEND:
    case MPI_CALL_SSEND_INIT:
        return SEND_SYNCHRONOUS;
    case MPI_CALL_RSEND:
    case MPI_CALL_IRSEND:
    case MPI_CALL_RSEND_INIT:
        return SEND_READY;
    default:
        return SEND_STANDARD;
    }
}

uint32_t message_post_row(const struct stream *stream, const struct message *message)
{
    assert(message->post < stream->count);
    if (stream->kind[message->post] != EVENT_RECV)
        return message->post;
    uint32_t enter = stream_enter_at(stream, message->post);
    return enter == INDEX_NONE ? message->post : enter;
}

uint32_t message_leave_row(const struct stream *stream, const struct message *message)
{
    assert(message->completion == INDEX_NONE || message->completion < stream->count);
    uint32_t row = message->completion;
    if (row == INDEX_NONE)
        return INDEX_NONE;
    while (row + 1 < stream->count && stream->kind[row] != EVENT_LEAVE &&
           stream->kind[row] != EVENT_ENTER)
        row++;
    return stream->kind[row] == EVENT_LEAVE ? row : message->completion;
}

enum mpi_call message_post_call(const struct trace *trace, const struct stream *stream,
                                const struct message *message)
{
    return callpath_call(trace, stream_callpath_at(stream, message->post));
}

bool sync_arrives(const struct rma_sync *sync)
{
    return sync->partners != INDEX_NONE &&
           (sync->kind == RMA_SYNC_POST || sync->kind == RMA_SYNC_COMPLETE);
}

/* The MPI_Win_start of the MPI_Win_complete with this index; NULL: it has no record. */
static const struct rma_sync *started_sync(const struct stream *stream, uint32_t index)
{
    uint32_t window = stream->rma_syncs[index].window;
    while (index-- > 0) {
        const struct rma_sync *sync = &stream->rma_syncs[index];
        if (sync->window == window && sync->kind == RMA_SYNC_COMPLETE)
            return NULL;
        if (sync->window == window && sync->kind == RMA_SYNC_START)
            return sync;
    }
    return NULL;
}

const struct rma_sync *sync_awaited(const struct stream *stream, uint32_t index)
{
    assert(index < stream->rma_sync_count);
    const struct rma_sync *sync = &stream->rma_syncs[index];
    if (sync->kind == RMA_SYNC_COMPLETE)
        sync = started_sync(stream, index);
    else if (sync->kind != RMA_SYNC_START && sync->kind != RMA_SYNC_WAIT)
        return NULL;
    return sync && sync->partners != INDEX_NONE ? sync : NULL;
}

enum rma_sync_kind rma_sync_counterpart(enum rma_sync_kind kind)
{
    static const enum rma_sync_kind others[] = {[RMA_SYNC_POST] = RMA_SYNC_START,
                                                [RMA_SYNC_START] = RMA_SYNC_POST,
                                                [RMA_SYNC_COMPLETE] = RMA_SYNC_WAIT,
                                                [RMA_SYNC_WAIT] = RMA_SYNC_COMPLETE};
    assert(kind <= RMA_SYNC_WAIT);
    return others[kind];
}

bool sync_may_pass(const struct rma_sync *sync)
{
    return sync->kind == RMA_SYNC_START || sync->kind == RMA_SYNC_COMPLETE;
}
