#include "measure/archive/writing.h"

#include <stdlib.h>

/* --- regions -----------------------------------------------------------------------------------
 */

static void put_enter(struct writing *writing, uint32_t region)
{
    struct open_region open = {region, writing->now, 0};
    if (!array_push(&writing->stack, open)) {
        writing->no_memory = true;
        return;
    }
    writing_put(writing, OTF2_EvtWriter_Enter(writing->writer, NULL, writing->now, region));
    writing->visits[region].visits++;
    writing->visits[region].events++;
}

/* Adds the number of the matched probe that a RECORD_MATCHED announced for this event. */
static void add_probe(struct writing *writing)
{
    if (writing->probe)
        writing_check(writing, OTF2_AttributeList_AddUint64(writing->attributes,
                                                            SILAS_ATTRIBUTE_PROBE, writing->probe));
    writing->probe = 0;
}

static void put_leave(struct writing *writing)
{
    struct open_region open = writing->stack.items[--writing->stack.count];
    uint64_t inside = writing->now - open.enter;
    OTF2_AttributeList *attributes = writing->probe ? writing->attributes : NULL;
    add_probe(writing);
    writing_put(writing,
                OTF2_EvtWriter_Leave(writing->writer, attributes, writing->now, open.region));
    writing->visits[open.region].own_ticks += inside - open.inner;
    writing->visits[open.region].events++;
    if (writing->stack.count)
        writing->stack.items[writing->stack.count - 1].inner += inside;
}

/* Closes a region and those still open inside it. A leave without an enter is dropped. */
static void close_region(struct writing *writing, uint32_t region)
{
    size_t at = writing->stack.count;
    while (at > 0 && writing->stack.items[at - 1].region != region)
        at--;
    while (at > 0 && writing->stack.count >= at)
        put_leave(writing);
}

/* --- events ------------------------------------------------------------------------------------
 */

static void add_flags(struct writing *writing, unsigned flags)
{
    if (flags)
        writing_check(writing, OTF2_AttributeList_AddUint8(writing->attributes,
                                                           SILAS_ATTRIBUTE_FLAGS, (uint8_t)flags));
}

static void add_counts(struct writing *writing, enum silas_attribute attribute, uint32_t counts)
{
    if (counts < writing->definitions->counts.count)
        writing_check(writing, OTF2_AttributeList_AddAttribute(
                                   writing->attributes, attribute, OTF2_TYPE_GROUP,
                                   (OTF2_AttributeValue){.groupRef = counts}));
}

static void put_message(struct writing *writing, const struct record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    uint64_t now = writing->now, bytes = record->slot[1].first;
    uint32_t peer = record->id, comm = (uint32_t)record->slot[1].second;
    uint32_t tag = (uint32_t)(record->slot[1].second >> 32);
    if (comm >= writing->definitions->comms.count)
        return;
    writing_add_type_size(writing, record->type_size);
    add_flags(writing, record->flags);
    switch (record->kind) {
    case RECORD_SEND:
        writing_put(writing,
                    OTF2_EvtWriter_MpiSend(writer, attributes, now, peer, comm, tag, bytes));
        break;
    case RECORD_RECV:
        add_probe(writing);
        writing_put(writing,
                    OTF2_EvtWriter_MpiRecv(writer, attributes, now, peer, comm, tag, bytes));
        break;
    case RECORD_ISEND:
        writing_put(writing, OTF2_EvtWriter_MpiIsend(writer, attributes, now, peer, comm, tag,
                                                     bytes, record->slot[2].first));
        break;
    default:
        writing_put(writing, OTF2_EvtWriter_MpiIrecv(writer, attributes, now, peer, comm, tag,
                                                     bytes, record->slot[2].first));
        break;
    }
}

static void put_request(struct writing *writing, const struct record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    uint64_t now = writing->now, request = record->slot[1].first;
    add_flags(writing, record->flags);
    switch (record->kind) {
    case RECORD_ISEND_COMPLETE:
        writing_put(writing, OTF2_EvtWriter_MpiIsendComplete(writer, attributes, now, request));
        break;
    case RECORD_IRECV_REQUEST:
        add_probe(writing);
        writing_put(writing, OTF2_EvtWriter_MpiIrecvRequest(writer, attributes, now, request));
        break;
    case RECORD_REQUEST_TEST:
        writing_put(writing, OTF2_EvtWriter_MpiRequestTest(writer, attributes, now, request));
        break;
    case RECORD_REQUEST_CANCELLED:
        writing_put(writing, OTF2_EvtWriter_MpiRequestCancelled(writer, attributes, now, request));
        break;
    default:
        writing_put(writing,
                    OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, attributes, now, request));
        break;
    }
}

static void put_collective(struct writing *writing, const struct record *record)
{
    const struct record_slot *slot = record->slot;
    OTF2_CollectiveOp op = (OTF2_CollectiveOp)(slot[2].first >> 32);
    uint32_t root = (uint32_t)slot[2].first, comm = record->id;
    if (comm >= writing->definitions->comms.count)
        return;
    add_flags(writing, record->flags);
    writing_add_type_size(writing, record->type_size);
    add_counts(writing, SILAS_ATTRIBUTE_SEND_COUNTS, (uint32_t)slot[2].second);
    add_counts(writing, SILAS_ATTRIBUTE_RECEIVE_COUNTS, (uint32_t)(slot[2].second >> 32));
    add_counts(writing, SILAS_ATTRIBUTE_DESTINATIONS, (uint32_t)slot[3].second);
    add_counts(writing, SILAS_ATTRIBUTE_SOURCES, (uint32_t)(slot[3].second >> 32));
    if (record->kind == RECORD_COLLECTIVE_END)
        writing_put(writing, OTF2_EvtWriter_MpiCollectiveEnd(writing->writer, writing->attributes,
                                                             writing->now, op, comm, root,
                                                             slot[1].first, slot[1].second));
    else
        writing_put(writing, OTF2_EvtWriter_NonBlockingCollectiveComplete(
                                 writing->writer, writing->attributes, writing->now, op, comm, root,
                                 slot[1].first, slot[1].second, slot[3].first));
}

static void put_other(struct writing *writing, const struct record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    bool comm_known = record->id < writing->definitions->comms.count;
    switch (record->kind) {
    case RECORD_COLLECTIVE_BEGIN:
        writing_put(writing, OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, writing->now));
        break;
    case RECORD_RMA_COLLECTIVE_BEGIN:
        writing_put(writing, OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, writing->now));
        break;
    case RECORD_COMM_CREATE:
        if (comm_known)
            writing_put(writing, OTF2_EvtWriter_CommCreate(writer, NULL, writing->now, record->id));
        break;
    case RECORD_COMM_DESTROY:
        if (comm_known)
            writing_put(writing,
                        OTF2_EvtWriter_CommDestroy(writer, NULL, writing->now, record->id));
        break;
    default:
        writing_put(writing, OTF2_EvtWriter_MeasurementOnOff(writer, NULL, writing->now,
                                                             record->id ? OTF2_MEASUREMENT_ON
                                                                        : OTF2_MEASUREMENT_OFF));
        break;
    }
}

/* Writes a buffer flush before the first event that is later than it. Its record may come too
 * early: events whose time was taken before the flush may follow. */
static void put_waiting_flush(struct writing *writing, uint64_t time)
{
    if (!writing->flush_waits || time <= writing->flush_begin)
        return;
    writing->flush_waits = false;
    if (writing->flush_begin > writing->now)
        writing->now = writing->flush_begin;
    writing_put(writing, OTF2_EvtWriter_BufferFlush(writing->writer, NULL, writing->now,
                                                    writing->flush_end));
}

static void put_record(struct writing *writing, const struct record *record)
{
    if (record->kind == RECORD_FLUSH) {
        put_waiting_flush(writing, UINT64_MAX);
        writing->flush_waits = true;
        writing->flush_begin = record->time;
        writing->flush_end = record->slot[1].first;
        return;
    }
    put_waiting_flush(writing, record->time);
    if (record->time > writing->now)
        writing->now = record->time;
    uint64_t events = writing->location.events;
    switch (record->kind) {
    case RECORD_ENTER:
        if (record->id < writing->definitions->regions.count)
            put_enter(writing, record->id);
        return;
    case RECORD_LEAVE:
        close_region(writing, record->id);
        return;
    case RECORD_SEND:
    case RECORD_RECV:
    case RECORD_ISEND:
    case RECORD_IRECV:
        put_message(writing, record);
        break;
    case RECORD_COLLECTIVE_END:
    case RECORD_NBC_COMPLETE:
        put_collective(writing, record);
        break;
    case RECORD_ISEND_COMPLETE:
    case RECORD_IRECV_REQUEST:
    case RECORD_REQUEST_TEST:
    case RECORD_REQUEST_CANCELLED:
    case RECORD_NBC_REQUEST:
        put_request(writing, record);
        break;
    case RECORD_MATCHED:
        writing->probe = record->slot[1].first;
        return;
    case RECORD_RMA_OP:
        writing_put_rma_op(writing, record);
        break;
    case RECORD_RMA_COLLECTIVE_END:
    case RECORD_RMA_WIN_CREATE:
    case RECORD_RMA_WIN_DESTROY:
    case RECORD_RMA_COMPLETE:
    case RECORD_RMA_GROUP_SYNC:
    case RECORD_RMA_LOCK:
        writing_put_window(writing, record);
        break;
    default:
        put_other(writing, record);
        break;
    }
    if (writing->stack.count) /* for --estimate: an event counts for the innermost region */
        writing->visits[writing->stack.items[writing->stack.count - 1].region].events +=
            writing->location.events - events;
}

/* --- a location --------------------------------------------------------------------------------
 */

/* The rank's string 0 is its program; its arguments follow (unify.c). */
static void put_program_begin(struct writing *writing, uint64_t time)
{
    uint32_t count = writing->definitions->argument_count;
    OTF2_StringRef *arguments = malloc(((size_t)count + 1) * sizeof *arguments);
    if (!arguments) {
        writing->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = i + 1;
    writing_put(writing,
                OTF2_EvtWriter_ProgramBegin(writing->writer, NULL, time, 0, count, arguments));
    free(arguments);
}

static enum status write_records(struct writing *writing, struct record_reader *reader,
                                 struct error *error)
{
    struct record record;
    enum status status = STATUS_OK;
    bool first = true;
    while (!writing->code && !writing->no_memory && !status &&
           record_reader_next(reader, &record, &status, error)) {
        if (first) {
            writing->location.first_time = writing->now = record.time;
            if (reader->header.thread == 0)
                put_program_begin(writing, record.time);
        }
        first = false;
        put_record(writing, &record);
    }
    if (status || first)
        return status;
    put_waiting_flush(writing, UINT64_MAX);
    while (writing->stack.count)
        put_leave(writing);
    if (reader->header.thread == 0)
        writing_put(writing, OTF2_EvtWriter_ProgramEnd(writing->writer, NULL, writing->now,
                                                       OTF2_UNDEFINED_INT64));
    writing->location.last_time = writing->now;
    return STATUS_OK;
}

enum status archive_write_location(OTF2_Archive *archive, struct record_reader *reader,
                                   const struct rank_definitions *definitions,
                                   struct rank_visits *visits, struct rank_location *location,
                                   struct error *error)
{
    struct writing writing = {.definitions = definitions, .visits = visits};
    uint64_t id = archive_location(definitions->rank, reader->header.thread);
    writing.location.first = reader->header.first;
    writing.location.last = reader->header.last;
    writing.writer = OTF2_Archive_GetEvtWriter(archive, id);
    writing.attributes = OTF2_AttributeList_New();
    enum status status = STATUS_OK;
    if (!writing.writer || !writing.attributes)
        status = error_memory(error, "events of a rank");
    else
        status = write_records(&writing, reader, error);
    if (!status && writing.no_memory)
        status = error_memory(error, "events of a rank");
    if (!status && writing.code)
        status = archive_error(error, reader->path, writing.code);
    if (writing.attributes)
        OTF2_AttributeList_Delete(writing.attributes);
    if (writing.writer)
        OTF2_Archive_CloseEvtWriter(archive, writing.writer);
    free(writing.stack.items);
    *location = writing.location;
    return status;
}
