/* One-sided communication, written as it was read. */
#include "trace/save/save_events.h"
#include "trace/save/save_events_private.h"

#include "base/otf2_attributes.h"

static void add_assertion(struct writer *w, unsigned assertion)
{
    if (assertion)
        OTF2_AttributeList_AddUint8(w->attributes, SILAS_ATTRIBUTE_ASSERTION, (uint8_t)assertion);
}

OTF2_ErrorCode save_window_life(struct writer *w, uint64_t time, enum event_kind kind,
                                uint32_t window)
{
    const uint64_t *bytes = w->stream->window_bytes;
    if (kind == EVENT_RMA_WIN_DESTROY)
        return OTF2_EvtWriter_RmaWinDestroy(w->events, w->attributes, time, window);
    if (bytes && bytes[window] != UINT64_MAX)
        OTF2_AttributeList_AddUint64(w->attributes, SILAS_ATTRIBUTE_WINDOW_BYTES, bytes[window]);
    return OTF2_EvtWriter_RmaWinCreate(w->events, w->attributes, time, window);
}

OTF2_ErrorCode save_window_collective(struct writer *w, uint64_t time, enum event_kind kind,
                                      const struct collective *c)
{
    if (kind == EVENT_COLLECTIVE_BEGIN)
        return OTF2_EvtWriter_RmaCollectiveBegin(w->events, w->attributes, time);
    OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS;
    if (c->op != COLLECTIVE_CREATE_HANDLE)
        level |= OTF2_RMA_SYNC_LEVEL_MEMORY;
    add_assertion(w, c->type_size);
    return OTF2_EvtWriter_RmaCollectiveEnd(w->events, w->attributes, time, c->op, level, c->window,
                                           c->root, c->sent, c->received);
}

OTF2_ErrorCode save_rma_op(struct writer *w, uint64_t time, const struct rma_op *op)
{
    if (op->type_size)
        OTF2_AttributeList_AddUint16(w->attributes, SILAS_ATTRIBUTE_TYPE_SIZE, op->type_size);
    switch (op->kind) {
    case RMA_PUT:
        return OTF2_EvtWriter_RmaPut(w->events, w->attributes, time, op->window, op->target,
                                     op->sent, op->matching);
    case RMA_GET:
        return OTF2_EvtWriter_RmaGet(w->events, w->attributes, time, op->window, op->target,
                                     op->received, op->matching);
    default:
        if (op->operation)
            OTF2_AttributeList_AddUint8(w->attributes, SILAS_ATTRIBUTE_OPERATION, op->operation);
        return OTF2_EvtWriter_RmaAtomic(w->events, w->attributes, time, op->window, op->target,
                                        (OTF2_RmaAtomicType)(op->kind - RMA_ATOMIC), op->sent,
                                        op->received, op->matching);
    }
}

OTF2_ErrorCode save_rma_sync(struct writer *w, uint64_t time, const struct rma_sync *s)
{
    OTF2_EvtWriter *events = w->events;
    OTF2_AttributeList *list = w->attributes;
    add_assertion(w, s->assertion);
    switch ((enum rma_sync_kind)s->kind) {
    case RMA_SYNC_POST:
    case RMA_SYNC_START:
    case RMA_SYNC_COMPLETE:
    case RMA_SYNC_WAIT:
    case RMA_SYNC_GROUP:
        return OTF2_EvtWriter_RmaGroupSync(events, list, time, s->mode, s->window, s->group);
    case RMA_SYNC_REQUEST_LOCK:
        return OTF2_EvtWriter_RmaRequestLock(events, list, time, s->window, s->peer, s->matching,
                                             s->mode);
    case RMA_SYNC_ACQUIRE_LOCK:
        return OTF2_EvtWriter_RmaAcquireLock(events, list, time, s->window, s->peer, s->matching,
                                             s->mode);
    case RMA_SYNC_TRY_LOCK:
        return OTF2_EvtWriter_RmaTryLock(events, list, time, s->window, s->peer, s->matching,
                                         s->mode);
    case RMA_SYNC_RELEASE_LOCK:
        return OTF2_EvtWriter_RmaReleaseLock(events, list, time, s->window, s->peer, s->matching);
    case RMA_SYNC_DONE_BLOCKING:
        return OTF2_EvtWriter_RmaOpCompleteBlocking(events, list, time, s->window, s->matching);
    case RMA_SYNC_DONE_NONBLOCKING:
        return OTF2_EvtWriter_RmaOpCompleteNonBlocking(events, list, time, s->window, s->matching);
    case RMA_SYNC_DONE_REMOTE:
        return OTF2_EvtWriter_RmaOpCompleteRemote(events, list, time, s->window, s->matching);
    case RMA_SYNC_TEST:
        return OTF2_EvtWriter_RmaOpTest(events, list, time, s->window, s->matching);
    case RMA_SYNC_DIRECT:
        return OTF2_EvtWriter_RmaSync(events, list, time, s->window, s->peer, s->mode);
    case RMA_SYNC_WAIT_CHANGE:
        return OTF2_EvtWriter_RmaWaitChange(events, list, time, s->window);
    case RMA_SYNC_KIND_COUNT:
        break;
    }
    return OTF2_SUCCESS;
}
