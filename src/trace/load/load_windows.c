/* One-sided communication. Collective calls on a window are collective operations on the window's
 * own communicator; everything else is in separate side tables. */
#include "trace/load/load_builder.h"

#include "trace/calls/collective_operations.h"
#include "trace/otf2_records.h"

/* The window with this id of the archive. Fails and returns INDEX_NONE if it is not defined. */
static uint32_t find_window(struct stream_builder *b, enum event_kind kind, uint64_t time,
                            OTF2_RmaWinRef id)
{
    uint32_t window = id_map_get(&b->source->ids->windows, id);
    if (window == INDEX_NONE)
        stream_builder_fail(b, kind, time, "window %u is not defined in this archive", id);
    return window;
}

/* True if the rank is in the window's communicator; UINT32_MAX stands for all ranks. */
static bool is_window_peer(const struct stream_builder *b, uint32_t window, uint32_t rank)
{
    const struct definitions *d = b->source->definitions;
    return rank == UINT32_MAX || window_has_peer(d, window, b->stream->rank, rank);
}

static OTF2_CallbackCode bad_member(struct stream_builder *b, enum event_kind kind, uint64_t time,
                                    uint32_t window, uint32_t rank)
{
    uint32_t own = b->source->definitions->windows[window].own;
    return stream_builder_bad_comm(b, kind, time, own, own, "target", rank);
}

static OTF2_CallbackCode on_win_create(COMMON_ARGUMENTS, OTF2_RmaWinRef win)
{
    COMMON_UNUSED;
    uint32_t window = find_window(b, EVENT_RMA_WIN_CREATE, time, win);
    if (window == INDEX_NONE)
        return OTF2_CALLBACK_INTERRUPT;
    if (stream_builder_has_attributes(b, attributes))
        b->window_bytes[window] =
            stream_builder_attribute(b, attributes, SILAS_ATTRIBUTE_WINDOW_BYTES, UINT64_MAX);
    return CHECK_APPEND(b, time, EVENT_RMA_WIN_CREATE, window);
}

static OTF2_CallbackCode on_win_destroy(COMMON_ARGUMENTS, OTF2_RmaWinRef win)
{
    COMMON_UNUSED;
    uint32_t window = find_window(b, EVENT_RMA_WIN_DESTROY, time, win);
    if (window == INDEX_NONE)
        return OTF2_CALLBACK_INTERRUPT;
    return CHECK_APPEND(b, time, EVENT_RMA_WIN_DESTROY, window);
}

static OTF2_CallbackCode on_collective_begin(COMMON_ARGUMENTS)
{
    COMMON_UNUSED;
    return stream_builder_begin_collective(b, time, COLLECTIVE_WINDOW);
}

static OTF2_CallbackCode on_collective_end(COMMON_ARGUMENTS, OTF2_CollectiveOp op,
                                           OTF2_RmaSyncLevel level, OTF2_RmaWinRef win,
                                           uint32_t root, uint64_t sent, uint64_t received)
{
    COMMON_UNUSED;
    (void)level;
    struct collective *c = stream_builder_open_collective(b, time, COLLECTIVE_WINDOW);
    uint32_t window = c ? find_window(b, EVENT_COLLECTIVE_END, time, win) : INDEX_NONE;
    if (window == INDEX_NONE)
        return OTF2_CALLBACK_INTERRUPT;
    if (op >= COLLECTIVE_OP_COUNT)
        return stream_builder_fail(b, EVENT_COLLECTIVE_END, time,
                                   "the collective operation is unknown");
    c->flags |= COLLECTIVE_WINDOW;
    c->window = window;
    c->comm = window_is_mpi(b->source->definitions, window)
                  ? b->source->definitions->windows[window].own
                  : INDEX_NONE;
    c->op = op;
    c->root = collective_op_is_rooted(op) ? root : ROOT_NONE;
    if (c->root < ROOT_THIS_GROUP && !is_window_peer(b, window, root))
        return bad_member(b, EVENT_COLLECTIVE_END, time, window, root);
    c->sent = sent;
    c->received = received;
    c->end = b->count;
    if (stream_builder_has_attributes(b, attributes))
        c->type_size =
            (uint16_t)stream_builder_attribute(b, attributes, SILAS_ATTRIBUTE_ASSERTION, 0);
    return stream_builder_end_collective(b, time);
}

static OTF2_CallbackCode operation(struct stream_builder *b, uint64_t time,
                                   OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                   struct rma_op op)
{
    op.window = find_window(b, EVENT_RMA_OP, time, win);
    if (op.window == INDEX_NONE)
        return OTF2_CALLBACK_INTERRUPT;
    if (op.target == UINT32_MAX || !is_window_peer(b, op.window, op.target))
        return bad_member(b, EVENT_RMA_OP, time, op.window, op.target);
    op.sent = stream_builder_bytes(op.sent);
    op.received = stream_builder_bytes(op.received);
    if (op.sent > MOST_BYTES || op.received > MOST_BYTES)
        return stream_builder_too_large(b, EVENT_RMA_OP, time,
                                        op.sent > op.received ? op.sent : op.received);
    if (stream_builder_has_attributes(b, attributes)) {
        op.type_size = stream_builder_type_size(b, attributes, 0);
        op.types = stream_builder_types(b, attributes);
        op.operation = (uint8_t)stream_builder_attribute(b, attributes, SILAS_ATTRIBUTE_OPERATION,
                                                         SILAS_OPERATION_UNKNOWN);
    }
    if (!GROW_TABLE(b, &b->rma_ops) || !array_push(&b->rma_ops, op))
        return stream_builder_out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_RMA_OP, (uint32_t)b->rma_ops.count - 1);
}

static OTF2_CallbackCode on_put(COMMON_ARGUMENTS, OTF2_RmaWinRef win, uint32_t remote,
                                uint64_t bytes, uint64_t matching)
{
    COMMON_UNUSED;
    return operation(
        b, time, attributes, win,
        (struct rma_op){.kind = RMA_PUT, .target = remote, .sent = bytes, .matching = matching});
}

static OTF2_CallbackCode on_get(COMMON_ARGUMENTS, OTF2_RmaWinRef win, uint32_t remote,
                                uint64_t bytes, uint64_t matching)
{
    COMMON_UNUSED;
    return operation(
        b, time, attributes, win,
        (struct rma_op){
            .kind = RMA_GET, .target = remote, .received = bytes, .matching = matching});
}

static OTF2_CallbackCode on_atomic(COMMON_ARGUMENTS, OTF2_RmaWinRef win, uint32_t remote,
                                   OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
                                   uint64_t matching)
{
    COMMON_UNUSED;
    return operation(b, time, attributes, win,
                     (struct rma_op){.kind = (uint8_t)(RMA_ATOMIC + type),
                                     .target = remote,
                                     .sent = sent,
                                     .received = received,
                                     .matching = matching});
}

static OTF2_CallbackCode synchronisation(struct stream_builder *b, uint64_t time,
                                         OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                         struct rma_sync sync)
{
    sync.window = find_window(b, EVENT_RMA_SYNC, time, win);
    sync.row = b->count;
    sync.partners = INDEX_NONE;
    if (sync.kind > RMA_SYNC_GROUP)
        sync.group = INDEX_NONE;
    if (sync.window == INDEX_NONE)
        return OTF2_CALLBACK_INTERRUPT;
    if (!is_window_peer(b, sync.window, sync.peer))
        return bad_member(b, EVENT_RMA_SYNC, time, sync.window, sync.peer);
    if (stream_builder_has_attributes(b, attributes))
        sync.assertion =
            (uint8_t)stream_builder_attribute(b, attributes, SILAS_ATTRIBUTE_ASSERTION, 0);
    if (!GROW_TABLE(b, &b->rma_syncs) || !array_push(&b->rma_syncs, sync))
        return stream_builder_out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_RMA_SYNC, (uint32_t)b->rma_syncs.count - 1);
}

/* The record only has the group. The MPI call around it determines the kind. */
static enum rma_sync_kind group_kind(const struct stream_builder *b)
{
    switch (stream_builder_call(b)) {
    case MPI_CALL_WIN_POST:
        return RMA_SYNC_POST;
    case MPI_CALL_WIN_START:
        return RMA_SYNC_START;
    case MPI_CALL_WIN_COMPLETE:
        return RMA_SYNC_COMPLETE;
    case MPI_CALL_WIN_WAIT:
    case MPI_CALL_WIN_TEST:
        return RMA_SYNC_WAIT;
    default:
        return RMA_SYNC_GROUP;
    }
}

static OTF2_CallbackCode on_group_sync(COMMON_ARGUMENTS, OTF2_RmaSyncLevel level,
                                       OTF2_RmaWinRef win, OTF2_GroupRef group)
{
    COMMON_UNUSED;
    struct rma_sync sync = {.kind = group_kind(b),
                            .mode = (uint8_t)level,
                            .peer = INDEX_NONE,
                            .group = id_map_get(&b->source->ids->groups, group)};
    const uint32_t window = id_map_get(&b->source->ids->windows, win);
    const struct definitions *d = b->source->definitions;
    if (window != INDEX_NONE && !window_is_mpi(b->source->definitions, window))
        sync.kind = RMA_SYNC_GROUP;
    if (sync.group == INDEX_NONE)
        return stream_builder_fail(b, EVENT_RMA_SYNC, time,
                                   "its group is not defined in this archive");
    const struct group *members = &d->groups[sync.group];
    for (uint32_t i = 0; sync.kind != RMA_SYNC_GROUP && i < members->count; i++)
        if (group_rank(members, i) >= d->rank_count)
            return stream_builder_fail(b, EVENT_RMA_SYNC, time,
                                       "a member of its group is not a rank");
    return synchronisation(b, time, attributes, win, sync);
}

/* The parameters of a callback after the window, and the fields that they set, by the kind of
 * fields. */
#define PARAMETERS_LOCK     , uint32_t remote, uint64_t lock, OTF2_LockType type
#define PARAMETERS_UNLOCK   , uint32_t remote, uint64_t lock
#define PARAMETERS_MATCHING , uint64_t id
#define PARAMETERS_DIRECT   , uint32_t remote, OTF2_RmaSyncType type
#define PARAMETERS_NOTHING
#define FIELDS_LOCK     .peer = remote, .matching = lock, .mode = (uint8_t)type
#define FIELDS_UNLOCK   .peer = remote, .matching = lock
#define FIELDS_MATCHING .peer = INDEX_NONE, .matching = id
#define FIELDS_DIRECT   .peer = remote, .mode = (uint8_t)type
#define FIELDS_NOTHING  .peer = INDEX_NONE
#define X(identifier, name, fields)                                                                \
    static OTF2_CallbackCode on_##identifier(COMMON_ARGUMENTS,                                     \
                                             OTF2_RmaWinRef win PARAMETERS_##fields)               \
    {                                                                                              \
        COMMON_UNUSED;                                                                             \
        return synchronisation(b, time, attributes, win,                                           \
                               (struct rma_sync){.kind = RMA_SYNC_##identifier, FIELDS_##fields}); \
    }
RMA_SYNC_RECORDS(X)
#undef X

void load_windows_register(OTF2_EvtReaderCallbacks *on)
{
    OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(on, on_win_create);
    OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(on, on_win_destroy);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(on, on_collective_begin);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(on, on_collective_end);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(on, on_put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(on, on_get);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(on, on_atomic);
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(on, on_group_sync);
#define X(identifier, name, fields) \
    OTF2_EvtReaderCallbacks_Set##name##Callback(on, on_##identifier);
    RMA_SYNC_RECORDS(X)
#undef X
}
