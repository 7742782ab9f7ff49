#include "base/otf2_attributes.h"
#include "trace/calls/semantics.h"
#include "trace/otf2_records.h"
#include "trace/save/save_private.h"
#include "trace/threads.h"

/* The location that is written. */
struct event_writer {
    OTF2_EvtWriter *events;
    OTF2_AttributeList *attributes;
    const struct trace *trace;
    const struct stream *stream;
    const uint64_t *time;
};

/* Request ids of the archive: a rank's messages, then its nonblocking collectives. */
static uint64_t saved_message_request(uint32_t index)
{
    return (uint64_t)index + 1;
}

static uint64_t saved_collective_request(const struct stream *stream, uint32_t index)
{
    return (uint64_t)stream->message_count + index + 1;
}

static void add_flags(struct event_writer *w, unsigned flags, unsigned type_size)
{
    if (flags)
        OTF2_AttributeList_AddUint8(w->attributes, SILAS_ATTRIBUTE_FLAGS, (uint8_t)flags);
    if (type_size)
        OTF2_AttributeList_AddUint16(w->attributes, SILAS_ATTRIBUTE_TYPE_SIZE, (uint16_t)type_size);
}

static void add_group_attribute(struct event_writer *w, enum silas_attribute which, uint32_t group)
{
    if (group != INDEX_NONE)
        OTF2_AttributeList_AddGroupRef(w->attributes, which, group);
}

/* `types`: as in struct message. */
static void add_types(struct event_writer *w, uint32_t types)
{
    add_group_attribute(w, SILAS_ATTRIBUTE_TYPES, types - 1);
}

static void add_message_attributes(struct event_writer *w, const struct message *m)
{
    unsigned flags = 0;
    if (m->flags & MESSAGE_ANY_SOURCE)
        flags |= SILAS_FLAG_ANY_SOURCE;
    if (m->flags & MESSAGE_ANY_TAG)
        flags |= SILAS_FLAG_ANY_TAG;
    if (m->flags & MESSAGE_UNTOUCHED)
        flags |= SILAS_FLAG_UNTOUCHED;
    if (m->flags & MESSAGE_PERSISTENT)
        flags |= SILAS_FLAG_PERSISTENT | message_send_mode(m) * SILAS_FLAG_SEND_MODE;
    if (m->flags & MESSAGE_PARTITIONED)
        flags |= SILAS_FLAG_PARTITIONED;
    add_flags(w, flags, m->type_size);
    add_types(w, m->types);
}

static void add_probe_attribute(struct event_writer *w, uint32_t message)
{
    OTF2_AttributeList_AddUint64(w->attributes, SILAS_ATTRIBUTE_PROBE,
                                 saved_message_request(message));
}

/* A receive without a completion: its request was freed. */
static void add_freed_attributes(struct event_writer *w, const struct message *m)
{
    if (m->completion != INDEX_NONE || m->peer == PEER_UNKNOWN)
        return;
    OTF2_AttributeList_AddCommRef(w->attributes, SILAS_ATTRIBUTE_COMM, m->comm);
    OTF2_AttributeList_AddUint32(w->attributes, SILAS_ATTRIBUTE_SOURCE, m->peer);
    OTF2_AttributeList_AddUint32(w->attributes, SILAS_ATTRIBUTE_TAG, m->tag);
    OTF2_AttributeList_AddUint64(w->attributes, SILAS_ATTRIBUTE_BYTES, m->bytes);
}

static void add_number_attribute(struct event_writer *w, enum silas_attribute which, uint32_t value)
{
    if (value)
        OTF2_AttributeList_AddUint8(w->attributes, which, (uint8_t)value);
}

static void add_collective_attributes(struct event_writer *w, const struct collective *c)
{
    unsigned flags = 0;
    if (c->flags & COLLECTIVE_NEIGHBOUR)
        flags |= SILAS_FLAG_NEIGHBOUR;
    if (c->flags & COLLECTIVE_IN_PLACE)
        flags |= SILAS_FLAG_IN_PLACE;
    if (c->flags & COLLECTIVE_UNTOUCHED)
        flags |= SILAS_FLAG_UNTOUCHED;
    if (collective_persistent(c) != INDEX_NONE) {
        flags |= SILAS_FLAG_PERSISTENT;
        OTF2_AttributeList_AddUint32(w->attributes, SILAS_ATTRIBUTE_PERSISTENT,
                                     collective_persistent(c));
    }
    add_flags(w, flags, c->type_size);
    add_types(w, c->types);
    add_group_attribute(w, SILAS_ATTRIBUTE_SEND_COUNTS, c->send_counts);
    add_group_attribute(w, SILAS_ATTRIBUTE_RECEIVE_COUNTS, c->receive_counts);
    if (c->flags & COLLECTIVE_NEIGHBOUR) {
        add_group_attribute(w, SILAS_ATTRIBUTE_DESTINATIONS, c->destinations);
        add_group_attribute(w, SILAS_ATTRIBUTE_SOURCES, c->sources);
    } else {
        add_number_attribute(w, SILAS_ATTRIBUTE_OPERATION, reduction_operation(c->reduction));
        add_number_attribute(w, SILAS_ATTRIBUTE_ELEMENT, reduction_element(c->reduction));
    }
}

static void add_assertion(struct event_writer *w, unsigned assertion)
{
    if (assertion)
        OTF2_AttributeList_AddUint8(w->attributes, SILAS_ATTRIBUTE_ASSERTION, (uint8_t)assertion);
}

static OTF2_ErrorCode write_window_life(struct event_writer *w, uint64_t time, enum event_kind kind,
                                        uint32_t window)
{
    const uint64_t *bytes = w->stream->window_bytes;
    if (kind == EVENT_RMA_WIN_DESTROY)
        return OTF2_EvtWriter_RmaWinDestroy(w->events, w->attributes, time, window);
    if (bytes && bytes[window] != UINT64_MAX)
        OTF2_AttributeList_AddUint64(w->attributes, SILAS_ATTRIBUTE_WINDOW_BYTES, bytes[window]);
    return OTF2_EvtWriter_RmaWinCreate(w->events, w->attributes, time, window);
}

static OTF2_ErrorCode write_window_collective(struct event_writer *w, uint64_t time,
                                              enum event_kind kind, const struct collective *c)
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

static OTF2_ErrorCode write_rma_event(struct event_writer *w, uint64_t time,
                                      const struct rma_op *op)
{
    if (op->type_size)
        OTF2_AttributeList_AddUint16(w->attributes, SILAS_ATTRIBUTE_TYPE_SIZE, op->type_size);
    add_types(w, op->types);
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

static OTF2_ErrorCode write_rma_sync(struct event_writer *w, uint64_t time,
                                     const struct rma_sync *s)
{
    OTF2_EvtWriter *events = w->events;
    OTF2_AttributeList *list = w->attributes;
    add_assertion(w, s->assertion);
    switch ((enum rma_sync_kind)s->kind) {
    case RMA_SYNC_POST ... RMA_SYNC_GROUP:
        return OTF2_EvtWriter_RmaGroupSync(events, list, time, s->mode, s->window,
                                           recorded_group(w->trace->definitions, s->group));
#define FIELDS_LOCK     , s->peer, s->matching, s->mode
#define FIELDS_UNLOCK   , s->peer, s->matching
#define FIELDS_MATCHING , s->matching
#define FIELDS_DIRECT   , s->peer, s->mode
#define FIELDS_NOTHING
#define X(identifier, name, fields) \
    case RMA_SYNC_##identifier:     \
        return OTF2_EvtWriter_##name(events, list, time, s->window FIELDS_##fields);
        RMA_SYNC_RECORDS(X)
#undef X
    case RMA_SYNC_KIND_COUNT:
        break;
    }
    return OTF2_SUCCESS;
}

static uint32_t saved_region(const struct event_writer *w, uint32_t path)
{
    return w->trace->calltree.paths.items[path].region;
}

static OTF2_ErrorCode write_message_event(struct event_writer *w, uint64_t time,
                                          enum event_kind kind, uint32_t index)
{
    const struct message *m = &w->stream->messages[index];
    const struct definitions *d = w->trace->definitions;
    uint64_t request = saved_message_request(index);
    uint32_t comm = INDEX_NONE, peer = m->peer;
    if (m->comm != INDEX_NONE) {
        comm = recorded_comm(d, m->comm);
        peer = recorded_peer(d, m->comm, w->stream->rank, m->peer);
    }
    if (m->flags & MESSAGE_MATCHED && (kind == EVENT_RECV || kind == EVENT_IRECV_REQUEST))
        add_probe_attribute(w, index);
    if (kind != EVENT_ISEND_COMPLETE && kind != EVENT_IRECV)
        add_message_attributes(w, m);
    switch (kind) {
    case EVENT_SEND:
        return OTF2_EvtWriter_MpiSend(w->events, w->attributes, time, peer, comm, m->tag, m->bytes);
    case EVENT_RECV:
        return OTF2_EvtWriter_MpiRecv(w->events, w->attributes, time, peer, comm, m->tag, m->bytes);
    case EVENT_ISEND:
        return OTF2_EvtWriter_MpiIsend(w->events, w->attributes, time, peer, comm, m->tag, m->bytes,
                                       request);
    case EVENT_ISEND_COMPLETE:
        return OTF2_EvtWriter_MpiIsendComplete(w->events, w->attributes, time, request);
    case EVENT_IRECV_REQUEST:
        add_freed_attributes(w, m);
        return OTF2_EvtWriter_MpiIrecvRequest(w->events, w->attributes, time, request);
    default:
        return OTF2_EvtWriter_MpiIrecv(w->events, w->attributes, time, peer, comm, m->tag, m->bytes,
                                       request);
    }
}

static OTF2_ErrorCode write_collective_event(struct event_writer *w, uint64_t time,
                                             enum event_kind kind, uint32_t index)
{
    const struct collective *c = &w->stream->collectives[index];
    uint64_t request = saved_collective_request(w->stream, index);
    const uint32_t comm =
        c->comm == INDEX_NONE ? INDEX_NONE : recorded_comm(w->trace->definitions, c->comm);
    if (c->flags & COLLECTIVE_WINDOW)
        return write_window_collective(w, time, kind, c);
    switch (kind) {
    case EVENT_COLLECTIVE_BEGIN:
        return OTF2_EvtWriter_MpiCollectiveBegin(w->events, w->attributes, time);
    case EVENT_COLLECTIVE_END:
        add_collective_attributes(w, c);
        return OTF2_EvtWriter_MpiCollectiveEnd(w->events, w->attributes, time, c->op, comm, c->root,
                                               c->sent, c->received);
    case EVENT_NBC_REQUEST:
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(w->events, w->attributes, time, request);
    default:
        add_collective_attributes(w, c);
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(
            w->events, w->attributes, time, c->op, comm, c->root, c->sent, c->received, request);
    }
}

static OTF2_ErrorCode write_request(struct event_writer *w, uint64_t time, enum event_kind kind,
                                    uint32_t arg)
{
    uint64_t request = 0; /* not an id of a request: it was unknown in the loaded archive */
    if (arg != INDEX_NONE)
        request = arg & COLLECTIVE_BIT ? saved_collective_request(w->stream, arg & ~COLLECTIVE_BIT)
                                       : saved_message_request(arg);
    if (kind == EVENT_REQUEST_TEST)
        return OTF2_EvtWriter_MpiRequestTest(w->events, w->attributes, time, request);
    return OTF2_EvtWriter_MpiRequestCancelled(w->events, w->attributes, time, request);
}

/* OTF2 calls the records of old archives deprecated; those that were loaded are still saved. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static OTF2_ErrorCode write_other(struct event_writer *w, uint64_t time,
                                  const struct other_event *e)
{
    switch ((enum other_type)e->type) {
#define FIELDS_0(...)
#define FIELDS_1(A)       , (A)e->fields[0]
#define FIELDS_2(A, B)    FIELDS_1(A), (B)e->fields[1]
#define FIELDS_3(A, B, C) FIELDS_2(A, B), (C)e->fields[2]
#define X(identifier, name, team, count, ...) \
    case OTHER_##identifier:                  \
        return OTF2_EvtWriter_##name(w->events, w->attributes, time FIELDS_##count(__VA_ARGS__));
        OTHER_EVENTS(X)
#undef X
    case OTHER_TYPE_COUNT:
        break;
    }
    return OTF2_SUCCESS;
}

#pragma GCC diagnostic pop

static OTF2_ErrorCode write_stream_event(struct event_writer *w, uint64_t time,
                                         enum event_kind kind, uint32_t arg)
{
    const struct stream *s = w->stream;
    switch (kind) {
    case EVENT_ENTER:
        return OTF2_EvtWriter_Enter(w->events, w->attributes, time, saved_region(w, arg));
    case EVENT_LEAVE:
        return OTF2_EvtWriter_Leave(w->events, w->attributes, time, saved_region(w, s->arg[arg]));
    case EVENT_PROGRAM_BEGIN:
        return OTF2_EvtWriter_ProgramBegin(w->events, w->attributes, time,
                                           saved_program_string(w->trace, saved_region(w, arg)), 0,
                                           NULL);
    case EVENT_PROGRAM_END:
        return OTF2_EvtWriter_ProgramEnd(w->events, w->attributes, time, 0);
    case EVENT_SEND ... EVENT_IRECV:
        return write_message_event(w, time, kind, arg);
    case EVENT_MATCHED: /* written with the next Leave */
        if (arg != INDEX_NONE)
            add_probe_attribute(w, arg);
        return OTF2_SUCCESS;
    case EVENT_COLLECTIVE_BEGIN ... EVENT_NBC_COMPLETE:
        return write_collective_event(w, time, kind, arg);
    case EVENT_REQUEST_TEST:
    case EVENT_REQUEST_CANCELLED:
        return write_request(w, time, kind, arg);
    case EVENT_COMM_CREATE:
        return OTF2_EvtWriter_CommCreate(w->events, w->attributes, time, arg);
    case EVENT_COMM_DESTROY:
        return OTF2_EvtWriter_CommDestroy(w->events, w->attributes, time, arg);
    case EVENT_RMA_WIN_CREATE:
    case EVENT_RMA_WIN_DESTROY:
        return write_window_life(w, time, kind, arg);
    case EVENT_RMA_OP:
        return write_rma_event(w, time, &s->rma_ops[arg]);
    case EVENT_RMA_SYNC:
        return write_rma_sync(w, time, &s->rma_syncs[arg]);
    case EVENT_BUFFER_FLUSH:
        return OTF2_EvtWriter_BufferFlush(w->events, w->attributes, time,
                                          s->flushes[arg] > time ? s->flushes[arg] : time);
    case EVENT_MEASUREMENT_ON_OFF:
        return OTF2_EvtWriter_MeasurementOnOff(w->events, w->attributes, time,
                                               (OTF2_MeasurementMode)arg);
    case EVENT_OTHER:
        return write_other(w, time, &s->others[arg]);
    case EVENT_POLLS: /* written with the visit's Leave */
        OTF2_AttributeList_AddUint32(w->attributes, SILAS_ATTRIBUTE_POLLS, arg);
        return OTF2_SUCCESS;
    case EVENT_KIND_COUNT:
        break;
    }
    return OTF2_SUCCESS;
}

OTF2_ErrorCode save_events(OTF2_EvtWriter *events, const struct trace *trace,
                           const struct stream *stream, const uint64_t *time)
{
    struct event_writer w = {events, OTF2_AttributeList_New(), trace, stream, time};
    if (!w.attributes)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t last = 0;
    for (uint32_t row = 0; row < stream->count && code == OTF2_SUCCESS; row++) {
        if (time[row] > last) /* OTF2 rejects a time stamp before that of the previous event */
            last = time[row];
        code = write_stream_event(&w, last, stream->kind[row], stream->arg[row]);
    }
    OTF2_AttributeList_Delete(w.attributes);
    return code;
}
