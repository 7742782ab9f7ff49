#include "measure/archive/writing.h"

static void add_assertion(struct writing *writing, unsigned assertion)
{
    if (assertion)
        writing_check(writing,
                      OTF2_AttributeList_AddUint8(writing->attributes, SILAS_ATTRIBUTE_ASSERTION,
                                                  (uint8_t)assertion));
}

void writing_put_rma_op(struct writing *writing, const struct record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    const struct record_slot *slot = record->slot;
    uint64_t now = writing->now, sent = slot[1].first, received = slot[1].second;
    uint64_t matching = slot[2].second;
    uint32_t window = (uint32_t)slot[2].first, kind = (uint32_t)(slot[2].first >> 32);
    if (window >= writing->definitions->windows.count)
        return;
    writing_add_type_size(writing, record->type_size);
    if (kind == RECORD_RMA_PUT)
        writing_put(writing, OTF2_EvtWriter_RmaPut(writer, attributes, now, window, record->id,
                                                   sent, matching));
    else if (kind == RECORD_RMA_GET)
        writing_put(writing, OTF2_EvtWriter_RmaGet(writer, attributes, now, window, record->id,
                                                   received, matching));
    else {
        if (record->flags)
            writing_check(writing,
                          OTF2_AttributeList_AddUint8(attributes, SILAS_ATTRIBUTE_OPERATION,
                                                      (uint8_t)record->flags));
        writing_put(writing,
                    OTF2_EvtWriter_RmaAtomic(writer, attributes, now, window, record->id,
                                             (OTF2_RmaAtomicType)(kind - RECORD_RMA_ATOMIC), sent,
                                             received, matching));
    }
}

static void put_rma_complete(struct writing *writing, const struct record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    uint64_t now = writing->now, matching = record->slot[1].first;
    switch ((enum record_completion)record->slot[1].second) {
    case RECORD_COMPLETE_LOCAL:
        writing_put(writing, OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, now, record->id,
                                                                     matching));
        break;
    case RECORD_COMPLETE_REMOTE:
        writing_put(writing,
                    OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, now, record->id, matching));
        break;
    case RECORD_COMPLETE_TESTED:
        writing_put(writing, OTF2_EvtWriter_RmaOpTest(writer, NULL, now, record->id, matching));
        break;
    }
}

static void put_rma_lock(struct writing *writing, const struct record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    uint32_t remote = (uint32_t)record->slot[1].first;
    enum record_lock kind = (enum record_lock)record->slot[1].second;
    add_assertion(writing, record->flags);
    if (kind == RECORD_UNLOCK)
        writing_put(writing, OTF2_EvtWriter_RmaReleaseLock(writer, writing->attributes,
                                                           writing->now, record->id, remote, 0));
    else
        writing_put(writing,
                    OTF2_EvtWriter_RmaAcquireLock(
                        writer, writing->attributes, writing->now, record->id, remote, 0,
                        kind == RECORD_LOCK_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
}

/* The OTF2 sync level that Score-P records for collective calls on a window. */
static OTF2_RmaSyncLevel sync_level(OTF2_CollectiveOp op)
{
    return op == OTF2_COLLECTIVE_OP_CREATE_HANDLE
               ? OTF2_RMA_SYNC_LEVEL_PROCESS
               : OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
}

void writing_put_window(struct writing *writing, const struct record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    uint64_t now = writing->now, first = record->slot[1].first;
    if (record->id >= writing->definitions->windows.count)
        return;
    switch (record->kind) {
    case RECORD_RMA_COLLECTIVE_END:
        add_assertion(writing, record->flags);
        writing_put(writing, OTF2_EvtWriter_RmaCollectiveEnd(
                                 writer, attributes, now, (OTF2_CollectiveOp)first,
                                 sync_level((OTF2_CollectiveOp)first), record->id,
                                 OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
        break;
    case RECORD_RMA_WIN_CREATE:
        writing_check(
            writing, OTF2_AttributeList_AddUint64(attributes, SILAS_ATTRIBUTE_WINDOW_BYTES, first));
        writing_put(writing, OTF2_EvtWriter_RmaWinCreate(writer, attributes, now, record->id));
        break;
    case RECORD_RMA_WIN_DESTROY:
        writing_put(writing, OTF2_EvtWriter_RmaWinDestroy(writer, NULL, now, record->id));
        break;
    case RECORD_RMA_COMPLETE:
        put_rma_complete(writing, record);
        break;
    case RECORD_RMA_LOCK:
        put_rma_lock(writing, record);
        break;
    default:
        add_assertion(writing, record->flags);
        writing_put(writing, OTF2_EvtWriter_RmaGroupSync(writer, attributes, now,
                                                         (OTF2_RmaSyncLevel)record->slot[1].second,
                                                         record->id, (OTF2_GroupRef)first));
        break;
    }
}
