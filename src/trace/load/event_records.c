/* Decodes the records of event files. A record that does not end after its last known number is
 * unusual. */
#include "trace/load/event_files_private.h"

#include <assert.h>

/* Kinds of records, as numbered in event files. */
enum record {
    RECORD_FLUSH = 10,
    RECORD_MEASUREMENT,
    RECORD_ENTER,
    RECORD_LEAVE,
    RECORD_SEND,
    RECORD_ISEND,
    RECORD_ISEND_COMPLETE,
    RECORD_IRECV_REQUEST,
    RECORD_RECV,
    RECORD_IRECV,
    RECORD_REQUEST_TEST,
    RECORD_REQUEST_CANCELLED,
    RECORD_COLLECTIVE_BEGIN,
    RECORD_COLLECTIVE_END,
    RECORD_OMP_FORK,
    RECORD_OMP_TASK_CREATE = 28,
    RECORD_OMP_TASK_SWITCH,
    RECORD_OMP_TASK_COMPLETE,
    RECORD_METRIC,
    RECORD_THREAD_FORK = 53,
    RECORD_THREAD_JOIN,
    RECORD_THREAD_TEAM_BEGIN,
    RECORD_THREAD_TEAM_END,
    RECORD_THREAD_ACQUIRE_LOCK,
    RECORD_THREAD_RELEASE_LOCK,
    RECORD_THREAD_TASK_CREATE,
    RECORD_THREAD_TASK_SWITCH,
    RECORD_THREAD_TASK_COMPLETE,
    RECORD_PROGRAM_BEGIN = 83,
    RECORD_PROGRAM_END,
    RECORD_NBC_REQUEST,
    RECORD_NBC_COMPLETE,
    RECORD_COMM_CREATE,
    RECORD_COMM_DESTROY,
};

bool event_record_is_number(uint8_t kind)
{
    return kind == RECORD_ENTER || kind == RECORD_LEAVE || kind == RECORD_ISEND_COMPLETE ||
           kind == RECORD_IRECV_REQUEST || kind == RECORD_REQUEST_TEST ||
           kind == RECORD_REQUEST_CANCELLED || kind == RECORD_OMP_FORK ||
           kind == RECORD_OMP_TASK_CREATE || kind == RECORD_OMP_TASK_SWITCH ||
           kind == RECORD_OMP_TASK_COMPLETE;
}

static uint32_t mapped(const struct event_files *files, OTF2_MappingType kind, uint32_t id)
{
    if (__builtin_expect(!files->has_maps, 1))
        return id;
    const uint32_t global = id_map_get(&files->maps[kind], id);
    return global == INDEX_NONE ? id : global;
}

/* Reads the value of an attribute. False: its type is not that of an attribute of SILAS. */
static bool attribute_value(const struct event_files *files, OTF2_Type type,
                            OTF2_AttributeValue *value, struct byte_span *in)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
        value->uint8 = byte_span_byte(in);
        break;
    case OTF2_TYPE_UINT16:
        value->uint16 = byte_span_byte(in);
        value->uint16 |= (uint16_t)(byte_span_byte(in) << 8);
        break;
    case OTF2_TYPE_UINT32:
        value->uint32 = byte_span_number32(in);
        break;
    case OTF2_TYPE_UINT64:
        value->uint64 = byte_span_number64(in);
        break;
    case OTF2_TYPE_GROUP:
        value->groupRef = mapped(files, OTF2_MAPPING_GROUP, byte_span_number32(in));
        break;
    case OTF2_TYPE_COMM:
        value->commRef = mapped(files, OTF2_MAPPING_COMM, byte_span_number32(in));
        break;
    default:
        return false;
    }
    return !in->bad;
}

bool event_attributes_read(struct event_files *files, struct byte_span in)
{
    const uint32_t count = byte_span_number32(&in);
    for (uint32_t i = 0; i < count && !in.bad; i++) {
        const uint32_t id = mapped(files, OTF2_MAPPING_ATTRIBUTE, byte_span_number32(&in));
        const OTF2_Type type = byte_span_byte(&in);
        OTF2_AttributeValue value;
        if (!attribute_value(files, type, &value, &in) ||
            OTF2_AttributeList_AddAttribute(files->attributes, id, type, value) != OTF2_SUCCESS)
            return false;
        files->has_attributes = true;
    }
    return byte_span_is_read(&in);
}

/* The first arguments of the callbacks of OTF2. */
#define COMMON 0, time, 0, b, list

/* Values of metrics are not kept. */
static bool skip_metric(struct byte_span in)
{
    byte_span_number32(&in); /* the metric */
    const uint8_t count = byte_span_byte(&in);
    for (int i = 0; i < count; i++)
        byte_span_byte(&in); /* the type of a value */
    for (int i = 0; i < count; i++)
        byte_span_number64(&in);
    return byte_span_is_read(&in);
}

/* The end of a blocking collective operation, or of a nonblocking one, which has a request. */
static bool collective(struct event_files *files, struct stream_builder *b, enum record kind,
                       uint64_t time, OTF2_AttributeList *list, struct byte_span in)
{
    const OTF2_CollectiveOp operation = byte_span_byte(&in);
    const uint32_t comm = mapped(files, OTF2_MAPPING_COMM, byte_span_number32(&in));
    const uint32_t root = byte_span_number32(&in);
    const uint64_t sent = byte_span_number64(&in), received = byte_span_number64(&in);
    const uint64_t request = kind == RECORD_COLLECTIVE_END ? 0 : byte_span_number64(&in);
    if (!byte_span_is_read(&in))
        return false;
    if (kind == RECORD_COLLECTIVE_END)
        load_collective_end(COMMON, operation, comm, root, sent, received);
    else
        load_nbc_complete(COMMON, operation, comm, root, sent, received, request);
    return true;
}

static bool message(struct event_files *files, struct stream_builder *b, enum record kind,
                    uint64_t time, OTF2_AttributeList *list, struct byte_span in)
{
    const uint32_t peer = byte_span_number32(&in);
    const uint32_t comm = mapped(files, OTF2_MAPPING_COMM, byte_span_number32(&in));
    const uint32_t tag = byte_span_number32(&in);
    const uint64_t bytes = byte_span_number64(&in);
    const bool has_request = kind == RECORD_ISEND || kind == RECORD_IRECV;
    const uint64_t request = has_request ? byte_span_number64(&in) : 0;
    if (!byte_span_is_read(&in))
        return false;
    if (kind == RECORD_SEND)
        load_send(COMMON, peer, comm, tag, bytes);
    else if (kind == RECORD_RECV)
        load_recv(COMMON, peer, comm, tag, bytes);
    else if (kind == RECORD_ISEND)
        load_isend(COMMON, peer, comm, tag, bytes, request);
    else
        load_irecv(COMMON, peer, comm, tag, bytes, request);
    return true;
}

/* A record with one number or without numbers. */
static bool short_record(struct event_files *files, struct stream_builder *b, enum record kind,
                         uint64_t time, OTF2_AttributeList *list, struct byte_span in)
{
    uint64_t number = 0;
    if (kind == RECORD_FLUSH)
        number = byte_span_whole64(&in);
    else if (kind == RECORD_MEASUREMENT)
        number = byte_span_byte(&in);
    else if (kind == RECORD_NBC_REQUEST)
        number = byte_span_number64(&in);
    else if (kind != RECORD_COLLECTIVE_BEGIN)
        number = mapped(files, OTF2_MAPPING_COMM, byte_span_number32(&in));
    if (!byte_span_is_read(&in))
        return false;
    switch (kind) {
    case RECORD_FLUSH:
        load_flush(COMMON, event_files_time(files, number));
        break;
    case RECORD_MEASUREMENT:
        load_measurement(COMMON, (OTF2_MeasurementMode)number);
        break;
    case RECORD_NBC_REQUEST:
        load_nbc_request(COMMON, number);
        break;
    case RECORD_COMM_CREATE:
        load_comm_create(COMMON, (OTF2_CommRef)number);
        break;
    case RECORD_COMM_DESTROY:
        load_comm_destroy(COMMON, (OTF2_CommRef)number);
        break;
    default:
        load_collective_begin(COMMON);
    }
    return true;
}

/* A record of the threads of a team: its first field is a paradigm or the team. */
static bool thread_record(struct event_files *files, struct stream_builder *b, enum record kind,
                          uint64_t time, struct byte_span in)
{
    static const struct {
        enum other_type type;
        bool of_team;
        uint8_t fields;
    } records[] = {
        {OTHER_THREAD_FORK, false, 2},         {OTHER_THREAD_JOIN, false, 1},
        {OTHER_THREAD_TEAM_BEGIN, true, 1},    {OTHER_THREAD_TEAM_END, true, 1},
        {OTHER_THREAD_ACQUIRE_LOCK, false, 3}, {OTHER_THREAD_RELEASE_LOCK, false, 3},
        {OTHER_THREAD_TASK_CREATE, true, 3},   {OTHER_THREAD_TASK_SWITCH, true, 3},
        {OTHER_THREAD_TASK_COMPLETE, true, 3},
    };
    const size_t at = kind - RECORD_THREAD_FORK;
    assert(at < sizeof records / sizeof *records);
    uint64_t fields[3] = {0};
    fields[0] = records[at].of_team ? mapped(files, OTF2_MAPPING_COMM, byte_span_number32(&in))
                                    : byte_span_byte(&in);
    for (uint8_t i = 1; i < records[at].fields; i++)
        fields[i] = byte_span_number32(&in);
    if (byte_span_is_read(&in))
        load_other(b, time, records[at].type, fields[0], fields[1], fields[2]);
    return byte_span_is_read(&in);
}

static bool program(struct event_files *files, struct stream_builder *b, bool begins, uint64_t time,
                    OTF2_AttributeList *list, struct byte_span in)
{
    if (!begins) {
        const int64_t status = (int64_t)byte_span_number64(&in);
        if (byte_span_is_read(&in))
            load_program_end(COMMON, status);
        return byte_span_is_read(&in);
    }
    const uint32_t name = mapped(files, OTF2_MAPPING_STRING, byte_span_number32(&in));
    for (uint32_t arguments = byte_span_number32(&in); arguments > 0 && !in.bad; arguments--)
        byte_span_number32(&in); /* not kept */
    if (byte_span_is_read(&in))
        load_program_begin(COMMON, name, 0, NULL);
    return byte_span_is_read(&in);
}

bool event_record_read(struct event_files *files, struct stream_builder *b, uint8_t kind,
                       uint64_t time, struct byte_span *in)
{
    OTF2_AttributeList *list = files->has_attributes ? files->attributes : NULL;
    uint64_t request;
    uint32_t region;
    bool usual = true;
    switch (kind) {
    case RECORD_ENTER:
    case RECORD_LEAVE:
        region = mapped(files, OTF2_MAPPING_REGION, byte_span_number32(in));
        if (in->bad)
            return false;
        if (kind == RECORD_ENTER)
            load_enter(COMMON, region);
        else
            load_leave(COMMON, region);
        break;
    case RECORD_ISEND_COMPLETE:
    case RECORD_IRECV_REQUEST:
    case RECORD_REQUEST_TEST:
    case RECORD_REQUEST_CANCELLED:
        request = byte_span_number64(in);
        if (in->bad)
            return false;
        if (kind == RECORD_ISEND_COMPLETE)
            load_isend_complete(COMMON, request);
        else if (kind == RECORD_IRECV_REQUEST)
            load_irecv_request(COMMON, request);
        else if (kind == RECORD_REQUEST_TEST)
            load_request_test(COMMON, request);
        else
            load_request_cancelled(COMMON, request);
        break;
    case RECORD_SEND:
    case RECORD_ISEND:
    case RECORD_RECV:
    case RECORD_IRECV:
        usual = message(files, b, kind, time, list, byte_span_record(in));
        break;
    case RECORD_COLLECTIVE_END:
    case RECORD_NBC_COMPLETE:
        usual = collective(files, b, kind, time, list, byte_span_record(in));
        break;
    case RECORD_COLLECTIVE_BEGIN:
    case RECORD_NBC_REQUEST:
    case RECORD_COMM_CREATE:
    case RECORD_COMM_DESTROY:
    case RECORD_FLUSH:
    case RECORD_MEASUREMENT:
        usual = short_record(files, b, kind, time, list, byte_span_record(in));
        break;
    case RECORD_THREAD_FORK ... RECORD_THREAD_TASK_COMPLETE:
        usual = thread_record(files, b, kind, time, byte_span_record(in));
        break;
    case RECORD_METRIC:
        usual = skip_metric(byte_span_record(in));
        break;
    case RECORD_PROGRAM_BEGIN:
    case RECORD_PROGRAM_END:
        usual = program(files, b, kind == RECORD_PROGRAM_BEGIN, time, list, byte_span_record(in));
        break;
    default:
        return false;
    }
    b->records++;
    if (list) {
        OTF2_AttributeList_RemoveAllAttributes(list);
        files->has_attributes = false;
    }
    return usual && !in->bad;
}
