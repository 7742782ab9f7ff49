/* Blocking and nonblocking collective operations; creation and freeing of communicators. */
#include "trace/load/load_builder.h"

#include "trace/calls/collective_operations.h"

/* The group of the neighbours' ranks; none if one of them is not a member of the communicator. */
static uint32_t neighbours(const struct stream_builder *b, const OTF2_AttributeList *list,
                           enum silas_attribute which, const struct collective *collective)
{
    const struct definitions *d = b->source->definitions;
    uint32_t index = stream_builder_group(b, list, which);
    if (index == INDEX_NONE || b->stream->rank == INDEX_NONE)
        return INDEX_NONE;
    for (uint32_t i = 0; i < d->groups[index].count; i++) {
        uint64_t rank = d->groups[index].members[i];
        if (rank > INT32_MAX ||
            comm_world_rank(d, collective->comm, b->stream->rank, (uint32_t)rank) == INDEX_NONE)
            return INDEX_NONE;
    }
    return index;
}

static void collective_attributes(struct stream_builder *b, const OTF2_AttributeList *list,
                                  struct collective *collective)
{
    collective->send_counts = collective->receive_counts = INDEX_NONE;
    if (!b->in_place_recorded)
        collective->flags |= COLLECTIVE_MAYBE_IN_PLACE;
    if (!stream_builder_has_attributes(b, list))
        return;
    uint64_t flags = stream_builder_attribute(b, list, SILAS_ATTRIBUTE_FLAGS, 0);
    if (flags & SILAS_FLAG_NEIGHBOUR)
        collective->flags |= COLLECTIVE_NEIGHBOUR;
    if (flags & SILAS_FLAG_IN_PLACE)
        collective->flags |= COLLECTIVE_IN_PLACE;
    if (flags & SILAS_FLAG_UNTOUCHED)
        collective->flags |= COLLECTIVE_UNTOUCHED;
    collective->type_size = stream_builder_type_size(b, list, 0);
    collective->reduction =
        reduction_pack((uint32_t)stream_builder_attribute(b, list, SILAS_ATTRIBUTE_OPERATION, 0),
                       (uint32_t)stream_builder_attribute(b, list, SILAS_ATTRIBUTE_ELEMENT, 0));
    collective->send_counts = stream_builder_group(b, list, SILAS_ATTRIBUTE_SEND_COUNTS);
    collective->receive_counts = stream_builder_group(b, list, SILAS_ATTRIBUTE_RECEIVE_COUNTS);
    collective->types = stream_builder_types(b, list);
    if (collective->flags & COLLECTIVE_NEIGHBOUR) {
        collective->destinations = neighbours(b, list, SILAS_ATTRIBUTE_DESTINATIONS, collective);
        collective->sources = neighbours(b, list, SILAS_ATTRIBUTE_SOURCES, collective);
    }
    if (collective->flags & COLLECTIVE_NONBLOCKING)
        collective_set_persistent(collective, (uint32_t)stream_builder_attribute(
                                                  b, list, SILAS_ATTRIBUTE_PERSISTENT, INDEX_NONE));
}

/* Adds an operation that begins with the next event; NULL when memory is out. */
static struct collective *new_collective(struct stream_builder *b, unsigned flags)
{
    struct collective fresh = {.comm = INDEX_NONE,
                               .root = ROOT_NONE,
                               .begin = b->count,
                               .end = INDEX_NONE,
                               .instance = INDEX_NONE,
                               .flags = (uint8_t)flags,
                               .send_counts = INDEX_NONE,
                               .receive_counts = INDEX_NONE,
                               .recorded = (uint32_t)b->collectives.count,
                               .window = INDEX_NONE,
                               .destinations = INDEX_NONE,
                               .sources = INDEX_NONE};
    if (!GROW_TABLE(b, &b->collectives) || !array_push(&b->collectives, fresh))
        return NULL;
    return &b->collectives.items[b->collectives.count - 1];
}

static bool frees_communicator(const struct stream_builder *b, OTF2_CollectiveOp op)
{
    return op == OTF2_COLLECTIVE_OP_DESTROY_HANDLE && stream_builder_call(b) == MPI_CALL_COMM_FREE;
}

/* The record of the end or the completion of an operation. */
struct operation_record {
    enum event_kind kind;
    uint64_t time;
    const OTF2_AttributeList *attributes;
    OTF2_CollectiveOp op;
    OTF2_CommRef comm;
    uint32_t root;
    uint64_t sent, received;
};

static OTF2_CallbackCode set_collective(struct stream_builder *b, struct collective *c,
                                        const struct operation_record *record)
{
    const uint64_t sent = stream_builder_bytes(record->sent);
    const uint64_t received = stream_builder_bytes(record->received);
    if (record->op >= COLLECTIVE_OP_COUNT)
        return stream_builder_fail(b, record->kind, record->time,
                                   "collective operation %u is unknown", (unsigned)record->op);
    if (sent > MOST_BYTES || received > MOST_BYTES)
        return stream_builder_too_large(b, record->kind, record->time,
                                        sent > received ? sent : received);
    c->op = record->op;
    c->comm = id_map_get(&b->source->ids->comms, record->comm);
    c->root = collective_op_is_rooted(c->op) ? record->root : ROOT_NONE;
    c->sent = sent;
    c->received = received;
    c->end = b->count;
    if (c->comm == INDEX_NONE ||
        (c->root < ROOT_THIS_GROUP &&
         !comm_has_peer(b->source->definitions, c->comm, b->stream->rank, c->root)))
        return stream_builder_bad_comm(b, record->kind, record->time, record->comm, c->comm, "root",
                                       record->root);
    collective_attributes(b, record->attributes, c);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode stream_builder_begin_collective(struct stream_builder *b, uint64_t time,
                                                  unsigned flags)
{
    if (b->open_collective != INDEX_NONE)
        stream_builder_drop_collective(b, EVENT_COLLECTIVE_BEGIN, time);
    stream_builder_check_region(b, EVENT_COLLECTIVE_BEGIN, time);
    if (!new_collective(b, flags))
        return stream_builder_out_of_memory(b);
    b->open_collective = (uint32_t)b->collectives.count - 1;
    return CHECK_APPEND(b, time, EVENT_COLLECTIVE_BEGIN, b->open_collective);
}

/* The time of the event before the present one, at `time`. */
static uint64_t time_before(const struct stream_builder *b, uint64_t time)
{
    return b->count > 0 ? b->time[b->count - 1] : time;
}

struct collective *stream_builder_open_collective(struct stream_builder *b, uint64_t time,
                                                  unsigned flags)
{
    if (b->open_collective == INDEX_NONE) {
        stream_builder_irregular(b, IRREGULAR_COLLECTIVE_END, EVENT_COLLECTIVE_END, time);
        if (stream_builder_begin_collective(b, time_before(b, time), flags) !=
            OTF2_CALLBACK_SUCCESS)
            return NULL;
        b->added_rows++;
    }
    return &b->collectives.items[b->open_collective];
}

/* An operation without events between its begin and the present event is removed. Any other one
 * becomes a nonblocking operation that never completes, which takes no part in anything. */
void stream_builder_drop_collective(struct stream_builder *b, enum event_kind kind, uint64_t time)
{
    assert(b->open_collective < b->collectives.count);
    const uint32_t index = b->open_collective;
    struct collective *c = &b->collectives.items[index];
    if (!definitions_cut_short(b->source->definitions))
        stream_builder_irregular(b, IRREGULAR_COLLECTIVE_BEGIN, kind, time);
    b->open_collective = INDEX_NONE;
    if (c->begin + 1 == b->count && index + 1 == b->collectives.count) {
        b->collectives.count--;
        b->count--;
        b->cut_off++;
        return;
    }
    if (b->kind[c->begin] == EVENT_COLLECTIVE_BEGIN && b->arg[c->begin] == index)
        b->kind[c->begin] = EVENT_NBC_REQUEST;
    *c = (struct collective){.comm = INDEX_NONE,
                             .root = ROOT_NONE,
                             .begin = c->begin,
                             .end = INDEX_NONE,
                             .instance = INDEX_NONE,
                             .flags = COLLECTIVE_NONBLOCKING,
                             .send_counts = INDEX_NONE,
                             .receive_counts = INDEX_NONE,
                             .recorded = c->recorded,
                             .window = INDEX_NONE,
                             .destinations = INDEX_NONE,
                             .sources = INDEX_NONE};
}

OTF2_CallbackCode stream_builder_end_collective(struct stream_builder *b, uint64_t time)
{
    uint32_t index = b->open_collective;
    b->open_collective = INDEX_NONE;
    return CHECK_APPEND(b, time, EVENT_COLLECTIVE_END, index);
}

OTF2_CallbackCode load_collective_begin(COMMON_ARGUMENTS)
{
    COMMON_UNUSED;
    return stream_builder_begin_collective(b, time, 0);
}

OTF2_CallbackCode load_collective_end(COMMON_ARGUMENTS, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                      uint32_t root, uint64_t sent, uint64_t received)
{
    COMMON_UNUSED;
    struct collective *c = stream_builder_open_collective(b, time, 0);
    if (!c)
        return OTF2_CALLBACK_INTERRUPT;
    if (set_collective(b, c,
                       &(struct operation_record){EVENT_COLLECTIVE_END, time, attributes, op, comm,
                                                  root, sent, received}) != OTF2_CALLBACK_SUCCESS)
        return OTF2_CALLBACK_INTERRUPT;
    if (frees_communicator(b, op))
        c->flags |= COLLECTIVE_LOCAL;
    return stream_builder_end_collective(b, time);
}

OTF2_CallbackCode load_nbc_request(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    struct collective *c = new_collective(b, COLLECTIVE_NONBLOCKING);
    stream_builder_check_region(b, EVENT_NBC_REQUEST, time);
    uint32_t index = (uint32_t)b->collectives.count - 1;
    if (!c || !stream_builder_begin(b, false, request, COLLECTIVE_BIT | index))
        return stream_builder_out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_NBC_REQUEST, index);
}

OTF2_CallbackCode load_nbc_complete(COMMON_ARGUMENTS, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                    uint32_t root, uint64_t sent, uint64_t received,
                                    uint64_t request)
{
    COMMON_UNUSED;
    uint32_t value = map_take(&b->requests, request);
    if (value == MAP_NONE && b->has_siblings) {
        struct collective *stand_in = new_collective(b, COLLECTIVE_NONBLOCKING);
        value = COLLECTIVE_BIT | (uint32_t)(b->collectives.count - 1);
        if (!stand_in || !stream_builder_end_elsewhere(b, false, request, value))
            return stream_builder_out_of_memory(b);
        stand_in->begin = INDEX_NONE;
    }
    if (value == MAP_NONE || !(value & COLLECTIVE_BIT)) {
        stream_builder_irregular(b, IRREGULAR_COMPLETION, EVENT_NBC_COMPLETE, time);
        if (!new_collective(b, COLLECTIVE_NONBLOCKING) ||
            !stream_builder_append(b, time_before(b, time), EVENT_NBC_REQUEST,
                                   (uint32_t)(b->collectives.count - 1)))
            return stream_builder_out_of_memory(b);
        b->added_rows++;
        value = COLLECTIVE_BIT | (uint32_t)(b->collectives.count - 1);
    }
    struct collective *c = &b->collectives.items[value & ~COLLECTIVE_BIT];
    if (set_collective(b, c,
                       &(struct operation_record){EVENT_NBC_COMPLETE, time, attributes, op, comm,
                                                  root, sent, received}) != OTF2_CALLBACK_SUCCESS)
        return OTF2_CALLBACK_INTERRUPT;
    return CHECK_APPEND(b, time, EVENT_NBC_COMPLETE, value & ~COLLECTIVE_BIT);
}

OTF2_CallbackCode load_comm_create(COMMON_ARGUMENTS, OTF2_CommRef comm)
{
    COMMON_UNUSED;
    return CHECK_APPEND(b, time, EVENT_COMM_CREATE, id_map_get(&b->source->ids->comms, comm));
}

OTF2_CallbackCode load_comm_destroy(COMMON_ARGUMENTS, OTF2_CommRef comm)
{
    COMMON_UNUSED;
    return CHECK_APPEND(b, time, EVENT_COMM_DESTROY, id_map_get(&b->source->ids->comms, comm));
}

void load_collectives_register(OTF2_EvtReaderCallbacks *on)
{
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(on, load_collective_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(on, load_collective_end);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(on, load_nbc_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(on, load_nbc_complete);
    OTF2_EvtReaderCallbacks_SetCommCreateCallback(on, load_comm_create);
    OTF2_EvtReaderCallbacks_SetCommDestroyCallback(on, load_comm_destroy);
}
