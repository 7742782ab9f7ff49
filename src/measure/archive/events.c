/* Converts the records of one thread to the events of one location of the archive. */
#include "measure/archive/archive_private.h"

#include "base/otf2_attributes.h"

#include <assert.h>
#include <stdlib.h>

static_assert((int)RECORD_ANY_SOURCE == SILAS_FLAG_ANY_SOURCE &&
                  (int)RECORD_ANY_TAG == SILAS_FLAG_ANY_TAG &&
                  (int)RECORD_PERSISTENT == SILAS_FLAG_PERSISTENT &&
                  (int)RECORD_NEIGHBOUR == SILAS_FLAG_NEIGHBOUR &&
                  (int)RECORD_PARTITIONED == SILAS_FLAG_PARTITIONED,
              "put_event copies the flags");
static_assert((int)RECORD_BUFFERED == 1 * SILAS_FLAG_SEND_MODE &&
                  (int)RECORD_SYNCHRONOUS == 2 * SILAS_FLAG_SEND_MODE &&
                  (int)RECORD_READY == 3 * SILAS_FLAG_SEND_MODE,
              "put_event copies the mode of sends");
static_assert((int)RECORD_IN_PLACE == SILAS_FLAG_IN_PLACE &&
                  (int)RECORD_UNTOUCHED == SILAS_FLAG_UNTOUCHED,
              "put_event copies the flags of buffers");

struct entered_region {
    uint32_t region;
    uint64_t enter, inner; /* ticks: time of the enter, and time spent in inner regions */
};

/* A team that the thread is in. */
struct entered_team {
    uint32_t run;   /* number of the parallel region */
    bool is_worker; /* it does not notice the end itself */
    size_t depth;   /* of the open regions before it */
};

/* The state of a location that is being written. */
struct writing {
    const struct rank_definitions *definitions;
    const struct rank_teams *teams;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes; /* of the next event; writing the event empties the list */
    ARRAY(struct entered_region) stack;
    ARRAY(struct entered_team) entered; /* outermost first */
    uint32_t posix_thread;              /* the number of its part as one; 0: it is in none */
    struct rank_region_visits *visits;  /* by region */
    uint64_t now;                       /* time of the last event written */
    uint64_t flush_begin, flush_end;
    uint64_t probe; /* number of the matched probe for the next receive or leave, 0: none */
    uint32_t types; /* of the next message or operation: index in the counts; RECORD_NONE: none */
    bool flush_waits;
    bool no_memory;
    OTF2_ErrorCode code; /* the first failure */
    struct rank_location location;
};

static void note_failure(struct writing *writing, OTF2_ErrorCode code)
{
    if (code && !writing->code)
        writing->code = code;
}

static void note_event(struct writing *writing, OTF2_ErrorCode code)
{
    note_failure(writing, code);
    writing->location.events++;
}

/* Adds the failed tests that were left out directly before this one. They count as visits of its
 * region. */
static void add_polls(struct writing *writing, const struct archive_record *record)
{
    OTF2_AttributeList *list = writing->attributes;
    struct rank_region_visits *visits = &writing->visits[record->id];
    if (record->polls == 0)
        return;
    note_failure(writing, OTF2_AttributeList_AddUint32(list, SILAS_ATTRIBUTE_POLLS, record->polls));
    note_failure(writing, OTF2_AttributeList_AddUint64(list, SILAS_ATTRIBUTE_POLLS_TIME,
                                                       record->polls_ticks));
    visits->visits += record->polls;
    visits->own_ticks += record->polls_ticks;
    if (writing->stack.count)
        writing->stack.items[writing->stack.count - 1].inner += record->polls_ticks;
}

static void put_enter(struct writing *writing, const struct archive_record *record)
{
    const uint32_t region = record->id;
    if (writing->definitions->regions.items[region].excluded)
        return; /* its leave finds no enter */
    struct entered_region open = {region, writing->now, 0};
    add_polls(writing, record);
    if (!array_push(&writing->stack, open)) {
        writing->no_memory = true;
        return;
    }
    note_event(writing,
               OTF2_EvtWriter_Enter(writing->writer, record->polls ? writing->attributes : NULL,
                                    writing->now, region));
    writing->visits[region].visits++;
    writing->visits[region].events++;
}

/* Adds the number of the matched probe that a RECORD_MATCHED announced for this event. */
static void add_probe_number(struct writing *writing)
{
    if (writing->probe)
        note_failure(writing, OTF2_AttributeList_AddUint64(writing->attributes,
                                                           SILAS_ATTRIBUTE_PROBE, writing->probe));
    writing->probe = 0;
}

/* Adds the message of a receive whose request was freed, if it is defined. */
static void add_freed_receive(struct writing *writing, uint64_t request)
{
    const struct rank_definitions *definitions = writing->definitions;
    OTF2_AttributeList *list = writing->attributes;
    const uint32_t index =
        definitions->freed.count == 0 ? MAP_NONE : map_get(&definitions->freed_by_request, request);
    if (index == MAP_NONE || definitions->freed.items[index].comm >= definitions->comms.count)
        return;
    const struct rank_freed *freed = &definitions->freed.items[index];
    note_failure(writing, OTF2_AttributeList_AddCommRef(list, SILAS_ATTRIBUTE_COMM, freed->comm));
    note_failure(writing, OTF2_AttributeList_AddUint32(
                              list, SILAS_ATTRIBUTE_SOURCE,
                              freed->source + definitions->comms.items[freed->comm].peer_offset));
    note_failure(writing, OTF2_AttributeList_AddUint32(list, SILAS_ATTRIBUTE_TAG, freed->tag));
    note_failure(writing, OTF2_AttributeList_AddUint64(list, SILAS_ATTRIBUTE_BYTES, freed->bytes));
}

static void put_leave(struct writing *writing)
{
    assert(writing->stack.count > 0);
    struct entered_region open = writing->stack.items[--writing->stack.count];
    uint64_t inside = writing->now - open.enter;
    add_probe_number(writing);
    note_event(writing, OTF2_EvtWriter_Leave(writing->writer, writing->attributes, writing->now,
                                             open.region));
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

static OTF2_ErrorCode message_event(struct writing *writing, const struct archive_record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    uint64_t now = writing->now, bytes = record->slot[1].first;
    uint32_t comm = (uint32_t)record->slot[1].second;
    uint32_t peer = record->id + writing->definitions->comms.items[comm].peer_offset;
    uint32_t tag = (uint32_t)(record->slot[1].second >> 32);
    switch (record->kind) {
    case RECORD_SEND:
        return OTF2_EvtWriter_MpiSend(writer, attributes, now, peer, comm, tag, bytes);
    case RECORD_RECV:
        add_probe_number(writing);
        return OTF2_EvtWriter_MpiRecv(writer, attributes, now, peer, comm, tag, bytes);
    case RECORD_ISEND:
        return OTF2_EvtWriter_MpiIsend(writer, attributes, now, peer, comm, tag, bytes,
                                       record->slot[2].first);
    default:
        return OTF2_EvtWriter_MpiIrecv(writer, attributes, now, peer, comm, tag, bytes,
                                       record->slot[2].first);
    }
}

static void add_count_vector(struct writing *writing, enum silas_attribute attribute,
                             uint64_t counts)
{
    if ((uint32_t)counts < writing->definitions->counts.count)
        note_failure(writing, OTF2_AttributeList_AddAttribute(
                                  writing->attributes, attribute, OTF2_TYPE_GROUP,
                                  (OTF2_AttributeValue){.groupRef = (OTF2_GroupRef)counts}));
}

static void add_attribute_number(struct writing *writing, enum silas_attribute attribute,
                                 uint8_t value)
{
    if (value)
        note_failure(writing, OTF2_AttributeList_AddUint8(writing->attributes, attribute, value));
}

static OTF2_ErrorCode collective_event(struct writing *writing, const struct archive_record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    const struct record_slot *slot = record->slot;
    OTF2_CollectiveOp op = (OTF2_CollectiveOp)record_collective_op(slot);
    uint64_t now = writing->now, sent = slot[1].first, received = slot[1].second;
    uint32_t root = (uint32_t)slot[2].first;
    add_count_vector(writing, SILAS_ATTRIBUTE_SEND_COUNTS, slot[2].second);
    add_count_vector(writing, SILAS_ATTRIBUTE_RECEIVE_COUNTS, slot[2].second >> 32);
    if (record->flags & RECORD_PERSISTENT)
        note_failure(writing, OTF2_AttributeList_AddUint32(
                                  attributes, SILAS_ATTRIBUTE_PERSISTENT,
                                  record_collective_persistent(slot, record->flags)));
    if (record->flags & RECORD_NEIGHBOUR) {
        add_count_vector(writing, SILAS_ATTRIBUTE_DESTINATIONS, slot[3].second);
        add_count_vector(writing, SILAS_ATTRIBUTE_SOURCES, slot[3].second >> 32);
    } else {
        add_attribute_number(writing, SILAS_ATTRIBUTE_OPERATION, record_collective_operation(slot));
        add_attribute_number(writing, SILAS_ATTRIBUTE_ELEMENT, record_collective_element(slot));
    }
    if (record->kind == RECORD_COLLECTIVE_END)
        return OTF2_EvtWriter_MpiCollectiveEnd(writer, attributes, now, op, record->id, root, sent,
                                               received);
    return OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, attributes, now, op, record->id,
                                                        root, sent, received, slot[3].first);
}

static OTF2_ErrorCode rma_op_event(struct writing *writing, const struct archive_record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    const struct record_slot *slot = record->slot;
    uint64_t now = writing->now, sent = slot[1].first, received = slot[1].second;
    uint64_t matching = slot[2].second;
    uint32_t window = (uint32_t)slot[2].first, kind = (uint32_t)(slot[2].first >> 32);
    if (kind == RECORD_RMA_PUT)
        return OTF2_EvtWriter_RmaPut(writer, attributes, now, window, record->id, sent, matching);
    if (kind == RECORD_RMA_GET)
        return OTF2_EvtWriter_RmaGet(writer, attributes, now, window, record->id, received,
                                     matching);
    return OTF2_EvtWriter_RmaAtomic(writer, attributes, now, window, record->id,
                                    (OTF2_RmaAtomicType)(kind - RECORD_RMA_ATOMIC), sent, received,
                                    matching);
}

/* The OTF2 sync level that Score-P records for collective calls on a window. */
static OTF2_RmaSyncLevel sync_level(OTF2_CollectiveOp op)
{
    return op == OTF2_COLLECTIVE_OP_CREATE_HANDLE
               ? OTF2_RMA_SYNC_LEVEL_PROCESS
               : OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
}

/* Any other event on a window. */
static OTF2_ErrorCode window_event(struct writing *writing, const struct archive_record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    uint64_t now = writing->now, first = record->slot[1].first, second = record->slot[1].second;
    uint32_t window = record->id;
    switch (record->kind) {
    case RECORD_RMA_COLLECTIVE_END:
        return OTF2_EvtWriter_RmaCollectiveEnd(writer, attributes, now, (OTF2_CollectiveOp)first,
                                               sync_level((OTF2_CollectiveOp)first), window,
                                               OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    case RECORD_RMA_WIN_CREATE:
        note_failure(writing,
                     OTF2_AttributeList_AddUint64(attributes, SILAS_ATTRIBUTE_WINDOW_BYTES, first));
        return OTF2_EvtWriter_RmaWinCreate(writer, attributes, now, window);
    case RECORD_RMA_COMPLETE:
        if (second == RECORD_COMPLETE_LOCAL)
            return OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, attributes, now, window, first);
        if (second == RECORD_COMPLETE_REMOTE)
            return OTF2_EvtWriter_RmaOpCompleteRemote(writer, attributes, now, window, first);
        return OTF2_EvtWriter_RmaOpTest(writer, attributes, now, window, first);
    case RECORD_RMA_LOCK:
        if (second == RECORD_UNLOCK)
            return OTF2_EvtWriter_RmaReleaseLock(writer, attributes, now, window, (uint32_t)first,
                                                 0);
        return OTF2_EvtWriter_RmaAcquireLock(writer, attributes, now, window, (uint32_t)first, 0,
                                             second == RECORD_LOCK_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE
                                                                             : OTF2_LOCK_SHARED);
    default:
        return OTF2_EvtWriter_RmaGroupSync(writer, attributes, now, (OTF2_RmaSyncLevel)second,
                                           window, (OTF2_GroupRef)first);
    }
}

/* A record of a request, or of one slot. */
static OTF2_ErrorCode plain_event(struct writing *writing, const struct archive_record *record)
{
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    const struct record_slot *slot = record->slot;
    uint64_t now = writing->now;
    switch (record->kind) {
    case RECORD_ISEND_COMPLETE:
        return OTF2_EvtWriter_MpiIsendComplete(writer, attributes, now, slot[1].first);
    case RECORD_IRECV_REQUEST:
        add_probe_number(writing);
        add_freed_receive(writing, slot[1].first);
        return OTF2_EvtWriter_MpiIrecvRequest(writer, attributes, now, slot[1].first);
    case RECORD_REQUEST_TEST:
        return OTF2_EvtWriter_MpiRequestTest(writer, attributes, now, slot[1].first);
    case RECORD_REQUEST_CANCELLED:
        return OTF2_EvtWriter_MpiRequestCancelled(writer, attributes, now, slot[1].first);
    case RECORD_NBC_REQUEST:
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, attributes, now, slot[1].first);
    case RECORD_COLLECTIVE_BEGIN:
        return OTF2_EvtWriter_MpiCollectiveBegin(writer, attributes, now);
    case RECORD_RMA_COLLECTIVE_BEGIN:
        return OTF2_EvtWriter_RmaCollectiveBegin(writer, attributes, now);
    case RECORD_TEAM_FORK:
        return OTF2_EvtWriter_ThreadFork(writer, attributes, now, OTF2_PARADIGM_OPENMP, record->id);
    case RECORD_TEAM_JOIN:
        return OTF2_EvtWriter_ThreadJoin(writer, attributes, now, OTF2_PARADIGM_OPENMP);
    case RECORD_COMM_CREATE:
        return OTF2_EvtWriter_CommCreate(writer, attributes, now, record->id);
    case RECORD_COMM_DESTROY:
        return OTF2_EvtWriter_CommDestroy(writer, attributes, now, record->id);
    case RECORD_RMA_WIN_DESTROY:
        return OTF2_EvtWriter_RmaWinDestroy(writer, attributes, now, record->id);
    default:
        return OTF2_EvtWriter_MeasurementOnOff(
            writer, attributes, now, record->id ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    }
}

/* Writes the event of a record, which `write` converts. `flags` is the attribute for the record's
 * flags. A record whose communicator or window is not `known` is dropped. */
static void put_event(struct writing *writing, const struct archive_record *record,
                      enum silas_attribute flags, bool known,
                      OTF2_ErrorCode (*write)(struct writing *writing,
                                              const struct archive_record *record))
{
    OTF2_AttributeList *attributes = writing->attributes;
    const uint32_t types = writing->types;
    writing->types = RECORD_NONE;
    if (!known)
        return;
    add_count_vector(writing, SILAS_ATTRIBUTE_TYPES, types);
    if (record->type_size)
        note_failure(writing, OTF2_AttributeList_AddUint16(attributes, SILAS_ATTRIBUTE_TYPE_SIZE,
                                                           (uint16_t)record->type_size));
    if (record->flags)
        note_failure(writing,
                     OTF2_AttributeList_AddUint8(attributes, flags, (uint8_t)record->flags));
    note_event(writing, write(writing, record));
    if (writing->stack.count) /* for --estimate: an event counts for the innermost region */
        writing->visits[writing->stack.items[writing->stack.count - 1].region].events++;
}

/* What the archive calls the team of a parallel region. */
static OTF2_CommRef team_comm(const struct writing *writing, uint32_t run)
{
    const struct rank_teams *teams = writing->teams;
    assert(run < teams->runs.count);
    return (OTF2_CommRef)writing->definitions->comms.count + teams->runs.items[run].team;
}

static void put_team_begin(struct writing *writing, const struct archive_record *record)
{
    const struct entered_team team = {record->id, record->type_size > 0, writing->stack.count};
    if (!array_push(&writing->entered, team)) {
        writing->no_memory = true;
        return;
    }
    note_event(writing, OTF2_EvtWriter_ThreadTeamBegin(writing->writer, NULL, writing->now,
                                                       team_comm(writing, team.run)));
}

/* Ends the innermost team and the regions that are open in it. A worker's part ends with the team.
 */
static void put_team_end(struct writing *writing)
{
    assert(writing->entered.count > 0);
    const struct entered_team team = writing->entered.items[--writing->entered.count];
    const uint64_t end = writing->teams->runs.items[team.run].end;
    if (team.is_worker && end > writing->now)
        writing->now = end;
    while (writing->stack.count > team.depth)
        put_leave(writing);
    note_event(writing, OTF2_EvtWriter_ThreadTeamEnd(writing->writer, NULL, writing->now,
                                                     team_comm(writing, team.run)));
}

/* Ends a team and those inside of it. */
static void close_team(struct writing *writing, uint32_t run)
{
    size_t at = writing->entered.count;
    while (at > 0 && writing->entered.items[at - 1].run != run)
        at--;
    while (at > 0 && writing->entered.count >= at)
        put_team_end(writing);
}

static OTF2_ErrorCode lock_event(struct writing *writing, const struct archive_record *record)
{
    const uint32_t lock = map_get(&writing->teams->locks, record->slot[1].first);
    return record->kind == RECORD_LOCK_ACQUIRE
               ? OTF2_EvtWriter_ThreadAcquireLock(writing->writer, writing->attributes,
                                                  writing->now, OTF2_PARADIGM_OPENMP, lock,
                                                  record->id)
               : OTF2_EvtWriter_ThreadReleaseLock(writing->writer, writing->attributes,
                                                  writing->now, OTF2_PARADIGM_OPENMP, lock,
                                                  record->id);
}

/* An event of POSIX threads, which are one team of the rank. */
static void put_posix_event(struct writing *writing, enum record_kind kind, uint32_t number)
{
    assert(writing->teams->posix != MAP_NONE);
    const OTF2_CommRef comm =
        (OTF2_CommRef)writing->definitions->comms.count + writing->teams->posix;
    OTF2_EvtWriter *writer = writing->writer;
    if (kind == RECORD_THREAD_CREATE) {
        note_event(writing, OTF2_EvtWriter_ThreadCreate(writer, NULL, writing->now, comm, number));
    } else if (kind == RECORD_THREAD_WAIT) {
        note_event(writing, OTF2_EvtWriter_ThreadWait(writer, NULL, writing->now, comm, number));
    } else if (kind == RECORD_THREAD_BEGIN) {
        writing->posix_thread = number;
        note_event(writing, OTF2_EvtWriter_ThreadBegin(writer, NULL, writing->now, comm, number));
    } else {
        writing->posix_thread = 0;
        note_event(writing, OTF2_EvtWriter_ThreadEnd(writer, NULL, writing->now, comm, number));
    }
}

/* The event of a task, which belongs to the innermost team. */
static OTF2_ErrorCode task_event(struct writing *writing, const struct archive_record *record)
{
    const struct entered_team *team = &writing->entered.items[writing->entered.count - 1];
    const OTF2_CommRef comm = team_comm(writing, team->run);
    OTF2_EvtWriter *writer = writing->writer;
    OTF2_AttributeList *attributes = writing->attributes;
    switch (record->kind) {
    case RECORD_TASK_CREATE:
        return OTF2_EvtWriter_ThreadTaskCreate(writer, attributes, writing->now, comm,
                                               record->type_size, record->id);
    case RECORD_TASK_SWITCH:
        return OTF2_EvtWriter_ThreadTaskSwitch(writer, attributes, writing->now, comm,
                                               record->type_size, record->id);
    default:
        return OTF2_EvtWriter_ThreadTaskComplete(writer, attributes, writing->now, comm,
                                                 record->type_size, record->id);
    }
}

/* Writes a buffer flush before the first event that is later than it. Records whose time was read
 * before the flush may follow its record. */
static void put_waiting_flush(struct writing *writing, uint64_t time)
{
    if (!writing->flush_waits || time <= writing->flush_begin)
        return;
    writing->flush_waits = false;
    if (writing->flush_begin > writing->now)
        writing->now = writing->flush_begin;
    note_event(writing,
               OTF2_EvtWriter_BufferFlush(writing->writer, NULL, writing->now, writing->flush_end));
}

static void put_record(struct writing *writing, const struct archive_record *record)
{
    const size_t comms = writing->definitions->comms.count;
    const size_t windows = writing->definitions->windows.count;
    const struct record_slot *slot = record->slot;
    if (record->kind == RECORD_FLUSH) {
        put_waiting_flush(writing, UINT64_MAX);
        writing->flush_waits = true;
        writing->flush_begin = record->time;
        writing->flush_end = slot[1].first;
        if (slot[1].first > record->time)
            writing->location.flushed += slot[1].first - record->time;
        return;
    }
    if (record->kind == RECORD_TEAM_END && record->type_size > 0) {
        close_team(writing, record->id); /* a worker's, at an earlier time than the record's */
        return;
    }
    put_waiting_flush(writing, record->time);
    if (record->time > writing->now)
        writing->now = record->time;
    switch (record->kind) {
    case RECORD_ENTER:
        if (record->id < writing->definitions->regions.count)
            put_enter(writing, record);
        break;
    case RECORD_LEAVE:
        close_region(writing, record->id);
        break;
    case RECORD_MATCHED:
        writing->probe = slot[1].first;
        break;
    case RECORD_TYPES:
        writing->types = record->id;
        break;
    case RECORD_TEAM_BEGIN:
        put_team_begin(writing, record);
        break;
    case RECORD_TEAM_END:
        close_team(writing, record->id);
        break;
    case RECORD_SEND:
    case RECORD_RECV:
    case RECORD_ISEND:
    case RECORD_IRECV:
        put_event(writing, record, SILAS_ATTRIBUTE_FLAGS, (uint32_t)slot[1].second < comms,
                  message_event);
        break;
    case RECORD_COLLECTIVE_END:
    case RECORD_NBC_COMPLETE:
        put_event(writing, record, SILAS_ATTRIBUTE_FLAGS, record->id < comms, collective_event);
        break;
    case RECORD_RMA_OP:
        put_event(writing, record, SILAS_ATTRIBUTE_OPERATION, (uint32_t)slot[2].first < windows,
                  rma_op_event);
        break;
    case RECORD_RMA_COLLECTIVE_END:
    case RECORD_RMA_WIN_CREATE:
    case RECORD_RMA_COMPLETE:
    case RECORD_RMA_GROUP_SYNC:
    case RECORD_RMA_LOCK:
        put_event(writing, record, SILAS_ATTRIBUTE_ASSERTION, record->id < windows, window_event);
        break;
    case RECORD_RMA_WIN_DESTROY:
        put_event(writing, record, SILAS_ATTRIBUTE_FLAGS, record->id < windows, plain_event);
        break;
    case RECORD_COMM_CREATE:
    case RECORD_COMM_DESTROY:
        put_event(writing, record, SILAS_ATTRIBUTE_FLAGS, record->id < comms, plain_event);
        break;
    case RECORD_LOCK_ACQUIRE:
    case RECORD_LOCK_RELEASE:
        put_event(writing, record, SILAS_ATTRIBUTE_FLAGS, true, lock_event);
        break;
    case RECORD_TASK_CREATE:
    case RECORD_TASK_SWITCH:
    case RECORD_TASK_COMPLETE:
        if (writing->entered.count > 0)
            note_event(writing, task_event(writing, record));
        break;
    case RECORD_THREAD_CREATE:
    case RECORD_THREAD_BEGIN:
    case RECORD_THREAD_END:
    case RECORD_THREAD_WAIT:
        if (writing->teams->posix != MAP_NONE)
            put_posix_event(writing, record->kind, record->id);
        break;
    default:
        put_event(writing, record, SILAS_ATTRIBUTE_FLAGS, true, plain_event);
        break;
    }
}

/* The rank's string 0 is its program; its arguments follow (unify.c). */
static void put_program_begin(struct writing *writing, uint64_t time)
{
    uint32_t count = (uint32_t)writing->definitions->arguments.count;
    OTF2_StringRef *arguments = malloc(((size_t)count + 1) * sizeof *arguments);
    if (!arguments) {
        writing->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = i + 1;
    note_event(writing,
               OTF2_EvtWriter_ProgramBegin(writing->writer, NULL, time, 0, count, arguments));
    free(arguments);
}

static enum status write_records(struct writing *writing, struct record_reader *reader,
                                 struct error *error)
{
    struct archive_record record;
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
    while (writing->entered.count)
        put_team_end(writing);
    put_waiting_flush(writing, UINT64_MAX);
    while (writing->stack.count)
        put_leave(writing);
    if (writing->posix_thread) /* it ran when the process ended */
        put_posix_event(writing, RECORD_THREAD_END, writing->posix_thread);
    if (reader->header.thread == 0)
        note_event(writing, OTF2_EvtWriter_ProgramEnd(writing->writer, NULL, writing->now,
                                                      OTF2_UNDEFINED_INT64));
    writing->location.last_time = writing->now;
    return STATUS_OK;
}

enum status archive_write_location(OTF2_Archive *archive, struct record_reader *reader,
                                   const struct rank_definitions *definitions,
                                   const struct rank_teams *teams,
                                   struct rank_region_visits *visits,
                                   struct rank_location *location, struct error *error)
{
    assert(reader->present);
    struct writing writing = {
        .definitions = definitions, .teams = teams, .visits = visits, .types = RECORD_NONE};
    uint64_t id = archive_location(definitions->rank, reader->header.thread);
    writing.location.thread = reader->header.thread;
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
        status = archive_error(error, reader->path.text, writing.code);
    if (writing.attributes)
        OTF2_AttributeList_Delete(writing.attributes);
    if (writing.writer)
        OTF2_Archive_CloseEvtWriter(archive, writing.writer);
    free(writing.stack.items);
    free(writing.entered.items);
    *location = writing.location;
    return status;
}
