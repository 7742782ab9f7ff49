/* Point-to-point records. The ids of requests join the posting and the completion of a message. */
#include "trace/load/load_builder.h"

#include "trace/calls/semantics.h"

static void set_mode(struct message *message, unsigned mode)
{
    message->flags |= (uint16_t)(mode * MESSAGE_SEND_MODE);
}

/* Sets the mode of a send by the call that posts it. */
static void set_mode_of_call(const struct stream_builder *b, struct message *message)
{
    set_mode(message, send_mode_of_call(stream_builder_call(b)));
}

static void message_attributes(struct stream_builder *b, const OTF2_AttributeList *list,
                               struct message *message)
{
    if (!stream_builder_has_attributes(b, list))
        return;
    uint64_t flags = stream_builder_attribute(b, list, SILAS_ATTRIBUTE_FLAGS, 0);
    if (flags & SILAS_FLAG_ANY_SOURCE)
        message->flags |= MESSAGE_ANY_SOURCE;
    if (flags & SILAS_FLAG_ANY_TAG)
        message->flags |= MESSAGE_ANY_TAG;
    if (flags & SILAS_FLAG_PERSISTENT)
        message->flags |= MESSAGE_PERSISTENT;
    if (flags & SILAS_FLAG_PARTITIONED)
        message->flags |= MESSAGE_PARTITIONED;
    if (flags & SILAS_FLAG_UNTOUCHED)
        message->flags |= MESSAGE_UNTOUCHED;
    set_mode(message, (unsigned)(flags / SILAS_FLAG_SEND_MODE % 4));
    message->type_size = stream_builder_type_size(b, list, message->type_size);
    const uint32_t types = stream_builder_types(b, list);
    if (types > 0)
        message->types = types;
}

/* Joins a message with the matched probe that took it. False when memory is out. */
static bool join_probe(struct stream_builder *b, const OTF2_AttributeList *list, uint32_t index)
{
    uint64_t probe = stream_builder_has_attributes(b, list)
                         ? stream_builder_attribute(b, list, SILAS_ATTRIBUTE_PROBE, 0)
                         : 0;
    if (probe == 0)
        return true;
    uint32_t row = map_take(&b->probes, probe);
    if (row == MAP_NONE)
        return !b->has_siblings || stream_builder_end_elsewhere(b, true, probe, index);
    b->arg[row] = index;
    b->messages.items[index].flags |= MESSAGE_MATCHED;
    return true;
}

/* Fills in the peer of the message. */
static bool set_peer(struct stream_builder *b, struct message *m, uint32_t peer, OTF2_CommRef comm,
                     uint32_t tag, uint64_t bytes)
{
    m->comm = id_map_get(&b->source->ids->comms, comm);
    m->peer = peer;
    m->tag = tag;
    m->bytes = stream_builder_bytes(bytes);
    if (m->comm == INDEX_NONE)
        return false;
    m->partner_rank = b->stream->rank == INDEX_NONE
                          ? INDEX_NONE
                          : comm_world_rank(b->source->definitions, m->comm, b->stream->rank, peer);
    return m->partner_rank != INDEX_NONE;
}

/* True for a message to a rank that does not exist, after which MPI has ended the program. */
static bool is_fatal(const struct stream_builder *b)
{
    const struct message *m = &b->messages.items[b->messages.count - 1];
    return m->comm != INDEX_NONE && b->stream->rank != INDEX_NONE &&
           definitions_cut_short(b->source->definitions);
}

static OTF2_CallbackCode leave_out_message(struct stream_builder *b)
{
    b->messages.count--;
    b->cut_off++;
    return OTF2_CALLBACK_SUCCESS;
}

static struct message *new_message(struct stream_builder *b, unsigned flags)
{
    struct message fresh = {.comm = INDEX_NONE,
                            .peer = PEER_UNKNOWN,
                            .post = b->count,
                            .completion = flags & MESSAGE_NONBLOCKING ? INDEX_NONE : b->count,
                            .partner_rank = INDEX_NONE,
                            .partner = INDEX_NONE,
                            .flags = (uint16_t)flags,
                            .recorded = (uint32_t)b->messages.count};
    if (flags & MESSAGE_SEND)
        set_mode_of_call(b, &fresh);
    if (!GROW_TABLE(b, &b->messages) || !array_push(&b->messages, fresh))
        return NULL;
    return &b->messages.items[b->messages.count - 1];
}

/* Adds a message when it is posted; a blocking message is completed by the same record. */
static OTF2_CallbackCode add_posted_message(struct stream_builder *b, uint64_t time,
                                            enum event_kind kind,
                                            const OTF2_AttributeList *attributes,
                                            const uint64_t *request)
{
    uint32_t index = (uint32_t)b->messages.count - 1;
    stream_builder_check_region(b, kind, time);
    if (request && !stream_builder_begin(b, false, *request, index))
        return stream_builder_out_of_memory(b);
    message_attributes(b, attributes, &b->messages.items[index]);
    if ((kind == EVENT_RECV || kind == EVENT_IRECV_REQUEST) && !join_probe(b, attributes, index))
        return stream_builder_out_of_memory(b);
    return CHECK_APPEND(b, time, kind, index);
}

static OTF2_CallbackCode blocking(struct stream_builder *b, uint64_t time, enum event_kind kind,
                                  OTF2_AttributeList *attributes, uint32_t peer, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t bytes)
{
    struct message *m = new_message(b, kind == EVENT_SEND ? MESSAGE_SEND : 0);
    if (!m)
        return stream_builder_out_of_memory(b);
    if (stream_builder_bytes(bytes) > MOST_BYTES)
        return stream_builder_too_large(b, kind, time, bytes);
    if (!set_peer(b, m, peer, comm, tag, bytes))
        return kind == EVENT_SEND && is_fatal(b)
                   ? leave_out_message(b)
                   : stream_builder_bad_comm(b, kind, time, comm, m->comm, "peer", peer);
    return add_posted_message(b, time, kind, attributes, NULL);
}

OTF2_CallbackCode load_send(COMMON_ARGUMENTS, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                            uint64_t bytes)
{
    COMMON_UNUSED;
    return blocking(b, time, EVENT_SEND, attributes, receiver, comm, tag, bytes);
}

OTF2_CallbackCode load_recv(COMMON_ARGUMENTS, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                            uint64_t bytes)
{
    COMMON_UNUSED;
    return blocking(b, time, EVENT_RECV, attributes, sender, comm, tag, bytes);
}

OTF2_CallbackCode load_isend(COMMON_ARGUMENTS, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                             uint64_t bytes, uint64_t request)
{
    COMMON_UNUSED;
    struct message *m = new_message(b, MESSAGE_SEND | MESSAGE_NONBLOCKING);
    if (!m)
        return stream_builder_out_of_memory(b);
    if (stream_builder_bytes(bytes) > MOST_BYTES)
        return stream_builder_too_large(b, EVENT_ISEND, time, bytes);
    if (!set_peer(b, m, receiver, comm, tag, bytes))
        return stream_builder_bad_comm(b, EVENT_ISEND, time, comm, m->comm, "peer", receiver);
    return add_posted_message(b, time, EVENT_ISEND, attributes, &request);
}

/* Fills in the peer of a receive whose request was freed, which no record completes. */
static void set_freed(struct stream_builder *b, const OTF2_AttributeList *list, struct message *m)
{
    if (!stream_builder_has_attributes(b, list))
        return;
    const uint64_t comm = stream_builder_attribute(b, list, SILAS_ATTRIBUTE_COMM, UINT64_MAX);
    const uint64_t source = stream_builder_attribute(b, list, SILAS_ATTRIBUTE_SOURCE, PEER_UNKNOWN);
    const uint64_t tag = stream_builder_attribute(b, list, SILAS_ATTRIBUTE_TAG, 0);
    const uint64_t bytes = stream_builder_attribute(b, list, SILAS_ATTRIBUTE_BYTES, 0);
    if (comm != UINT64_MAX && source != PEER_UNKNOWN && bytes <= MOST_BYTES &&
        !set_peer(b, m, (uint32_t)source, (OTF2_CommRef)comm, (uint32_t)tag, bytes)) {
        m->comm = INDEX_NONE;
        m->peer = PEER_UNKNOWN;
    }
}

OTF2_CallbackCode load_irecv_request(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    struct message *m = new_message(b, MESSAGE_NONBLOCKING);
    if (!m)
        return stream_builder_out_of_memory(b);
    set_freed(b, attributes, m);
    return add_posted_message(b, time, EVENT_IRECV_REQUEST, attributes, &request);
}

/* The message whose request completes. If another thread may have posted it, adds a placeholder.
 * MAP_NONE: the request was never posted, or memory is out. */
static uint32_t completed(struct stream_builder *b, uint64_t request, unsigned flags)
{
    uint32_t index = map_take(&b->requests, request);
    if (index != MAP_NONE || !b->has_siblings)
        return index;
    struct message *stand_in = new_message(b, flags);
    index = (uint32_t)b->messages.count - 1;
    if (!stand_in || !stream_builder_end_elsewhere(b, false, request, index))
        return MAP_NONE;
    stand_in->post = INDEX_NONE;
    return index;
}

OTF2_CallbackCode load_isend_complete(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    uint32_t index = completed(b, request, MESSAGE_SEND | MESSAGE_NONBLOCKING);
    if (index == MAP_NONE && b->has_siblings)
        return stream_builder_out_of_memory(b);
    if (index == MAP_NONE || index & COLLECTIVE_BIT ||
        !(b->messages.items[index].flags & MESSAGE_SEND)) {
        stream_builder_irregular(b, IRREGULAR_SEND_COMPLETION, EVENT_ISEND_COMPLETE, time);
        b->cut_off++;
        return OTF2_CALLBACK_SUCCESS;
    }
    b->messages.items[index].completion = b->count;
    return CHECK_APPEND(b, time, EVENT_ISEND_COMPLETE, index);
}

OTF2_CallbackCode load_irecv(COMMON_ARGUMENTS, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                             uint64_t bytes, uint64_t request)
{
    COMMON_UNUSED;
    uint32_t index = completed(b, request, MESSAGE_NONBLOCKING);
    if (index == MAP_NONE && b->has_siblings)
        return stream_builder_out_of_memory(b);
    if (index == MAP_NONE || index & COLLECTIVE_BIT ||
        b->messages.items[index].flags & MESSAGE_SEND) {
        stream_builder_irregular(b, IRREGULAR_COMPLETION, EVENT_IRECV, time);
        index = (uint32_t)b->messages.count;
        if (!new_message(b, MESSAGE_NONBLOCKING) ||
            !stream_builder_append(b, b->count > 0 ? b->time[b->count - 1] : time,
                                   EVENT_IRECV_REQUEST, index))
            return stream_builder_out_of_memory(b);
        b->added_rows++;
    }
    struct message *m = &b->messages.items[index];
    m->completion = b->count;
    if (stream_builder_bytes(bytes) > MOST_BYTES)
        return stream_builder_too_large(b, EVENT_IRECV, time, bytes);
    if (!set_peer(b, m, sender, comm, tag, bytes))
        return stream_builder_bad_comm(b, EVENT_IRECV, time, comm, m->comm, "peer", sender);
    message_attributes(b, attributes, m);
    return CHECK_APPEND(b, time, EVENT_IRECV, index);
}

OTF2_CallbackCode load_request_test(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    uint32_t index = map_get(&b->requests, request);
    return CHECK_APPEND(b, time, EVENT_REQUEST_TEST, index);
}

OTF2_CallbackCode load_request_cancelled(COMMON_ARGUMENTS, uint64_t request)
{
    COMMON_UNUSED;
    uint32_t index = map_take(&b->requests, request);
    if (index != MAP_NONE && !(index & COLLECTIVE_BIT)) {
        b->messages.items[index].flags |= MESSAGE_CANCELLED;
        b->messages.items[index].completion = b->count;
    }
    return CHECK_APPEND(b, time, EVENT_REQUEST_CANCELLED, index);
}

void load_messages_register(OTF2_EvtReaderCallbacks *on)
{
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(on, load_send);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(on, load_recv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(on, load_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(on, load_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(on, load_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(on, load_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(on, load_request_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(on, load_request_cancelled);
}
