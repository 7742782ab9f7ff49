#include "trace/load/event_files.h"

#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    END_OF_CHUNK = 0,
    END_OF_FILE = 2,
    CHUNK_HEADER = 3,
    TIME_STAMP = 5, /* in files of events */
    ATTRIBUTES = 6,
    MAPPING_TABLE = 5, /* in files of definitions */
    CLOCK_OFFSET = 6,
    HEADER_BYTES = 18,
    LITTLE_ENDIAN_MARK = 'B', /* its second byte */
    TIME_STAMP_BYTES = 9,
    SLACK = 16, /* bytes behind a chunk that may be read, but mean nothing */
    DEFINITION_BYTES = 64 * 1024,
};

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
    RECORD_METRIC = 31,
    RECORD_PROGRAM_BEGIN = 83,
    RECORD_PROGRAM_END,
    RECORD_NBC_REQUEST,
    RECORD_NBC_COMPLETE,
    RECORD_COMM_CREATE,
    RECORD_COMM_DESTROY,
};

/* Offset of a location's clock from the moment `begin` on. */
struct clock_interval {
    uint64_t begin, end;
    int64_t offset; /* ticks, at begin */
    double slope;
};

enum { MAPPINGS = OTF2_MAPPING_COMM + 1 };

struct event_files {
    char *folder;
    size_t folder_length;
    uint8_t *chunk; /* [chunk_bytes + SLACK], also for local definitions */
    size_t chunk_bytes;
    OTF2_AttributeList *attributes; /* of the next record */
    bool has_attributes;
    uint32_t read; /* locations */
    /* Of the location. */
    ARRAY(struct clock_interval) clocks;
    size_t clock; /* in use: time stamps grow */
    struct id_map maps[MAPPINGS];
    bool has_maps;
};

/* --- bytes -------------------------------------------------------------------------------------
 */

/* What is left of a chunk or a record. */
struct span {
    const uint8_t *at, *end;
    bool bad; /* beyond the end, or no number */
};

static const uint64_t low_bytes[] = {
    0,          0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
    UINT64_MAX,
};

/* A compressed number of up to `most` bytes. Reads up to 8 bytes too many (SLACK). */
static inline uint64_t number(struct span *b, uint8_t most)
{
    const size_t left = (size_t)(b->end - b->at);
    if (__builtin_expect(left == 0, 0)) {
        b->bad = true;
        return 0;
    }
    const uint8_t size = b->at[0];
    if (__builtin_expect(size > most || size >= left, 0)) {
        b->bad = b->bad || size != 0xff;
        b->at++;
        return UINT64_MAX;
    }
    uint64_t value;
    memcpy(&value, b->at + 1, sizeof value);
    b->at += 1 + size;
    return value & low_bytes[size];
}

static inline uint32_t number32(struct span *b)
{
    return (uint32_t)number(b, 4);
}

static inline uint64_t number64(struct span *b)
{
    return number(b, 8);
}

static uint8_t byte(struct span *b)
{
    if (b->at < b->end)
        return *b->at++;
    b->bad = true;
    return 0;
}

/* An uncompressed number. */
static uint64_t whole64(struct span *b)
{
    uint64_t value = 0;
    if (b->end - b->at < 8) {
        b->bad = true;
        return 0;
    }
    memcpy(&value, b->at, sizeof value);
    b->at += 8;
    return value;
}

/* The contents of a record that says how long it is; `b` is then behind it. */
static inline struct span record(struct span *b)
{
    uint64_t length = byte(b);
    if (__builtin_expect(length == 0xff, 0))
        length = whole64(b);
    if (__builtin_expect(length > (uint64_t)(b->end - b->at), 0)) {
        b->bad = true;
        return (struct span){b->end, b->end, true};
    }
    struct span inner = {b->at, b->at + length, false};
    b->at += length;
    return inner;
}

/* Whether all of a record has been read, and no more. */
static bool whole(const struct span *record)
{
    return !record->bad && record->at == record->end;
}

static bool header(struct span *b)
{
    const bool usual =
        b->end - b->at > HEADER_BYTES && b->at[0] == CHUNK_HEADER && b->at[1] == LITTLE_ENDIAN_MARK;
    b->at += usual ? HEADER_BYTES : 0;
    return usual;
}

/* --- files -------------------------------------------------------------------------------------
 */

/* -1: it cannot be opened. */
static int open_file(const struct event_files *files, uint64_t location, const char *suffix)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%llu.%s", files->folder,
                                (unsigned long long)location, suffix);
    return length > 0 && (size_t)length < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* Reads up to `most` bytes; -1 after an error. */
static ssize_t read_bytes(int file, uint8_t *bytes, size_t most)
{
    size_t got = 0;
    while (got < most) {
        const ssize_t n = read(file, bytes + got, most - got);
        if (n == 0 || (n < 0 && errno != EINTR))
            return n == 0 ? (ssize_t)got : -1;
        got += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)got;
}

void event_files_close(struct event_files *files)
{
    if (!files)
        return;
    free(files->folder);
    free(files->chunk);
    free(files->clocks.items);
    for (int i = 0; i < MAPPINGS; i++)
        id_map_clear(&files->maps[i]);
    if (files->attributes)
        OTF2_AttributeList_Delete(files->attributes);
    free(files);
}

struct event_files *event_files_open(OTF2_Reader *reader, const char *anchor)
{
    const size_t length = strlen(anchor), suffix = sizeof ".otf2" - 1;
    uint64_t events, definitions;
    OTF2_Compression compression;
    OTF2_FileSubstrate substrate;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || length <= suffix ||
        OTF2_Reader_GetChunkSize(reader, &events, &definitions) != OTF2_SUCCESS ||
        OTF2_Reader_GetCompression(reader, &compression) != OTF2_SUCCESS ||
        OTF2_Reader_GetFileSubstrate(reader, &substrate) != OTF2_SUCCESS ||
        compression != OTF2_COMPRESSION_NONE || substrate != OTF2_SUBSTRATE_POSIX ||
        events < DEFINITION_BYTES || events > OTF2_CHUNK_SIZE_MAX)
        return NULL;
    struct event_files *files = calloc(1, sizeof *files);
    if (!files)
        return NULL;
    files->folder = strndup(anchor, length - suffix);
    files->chunk_bytes = (size_t)events;
    files->chunk = malloc(files->chunk_bytes + SLACK);
    files->attributes = OTF2_AttributeList_New();
    if (!files->folder || !files->chunk || !files->attributes) {
        event_files_close(files);
        return NULL;
    }
    memset(files->chunk + files->chunk_bytes, 0, SLACK);
    return files;
}

/* --- local definitions --------------------------------------------------------------------------
 */

/* As OTF2 does: an interval ends where the next offset was measured, and the last goes on. */
static bool add_clock(struct event_files *files, struct span in)
{
    const uint64_t time = whole64(&in);
    const int64_t offset = (int64_t)number64(&in);
    const size_t count = files->clocks.count;
    if (in.bad)
        return false;
    if (count > 0) {
        struct clock_interval *last = &files->clocks.items[count - 1];
        if (last->begin >= time)
            return false;
        last->end = time;
        last->slope = (double)(offset - last->offset) / (double)(time - last->begin);
    }
    return array_push(&files->clocks, ((struct clock_interval){.begin = time, .offset = offset}));
}

static bool add_mapping(struct event_files *files, struct span in)
{
    const uint8_t kind = byte(&in);
    const uint64_t count = number64(&in);
    const uint8_t pairs = byte(&in);
    if (kind >= MAPPINGS)
        return !in.bad; /* of ids that are not used here */
    struct id_map *map = &files->maps[kind];
    if (in.bad || pairs > 1 || map->low_count > 0 || map->high.count > 0)
        return false;
    for (uint64_t i = 0; i < count && !in.bad; i++) {
        const uint64_t local = pairs ? number64(&in) : i, global = number64(&in);
        if (in.bad || global >= INDEX_NONE || !id_map_set(map, local, (uint32_t)global))
            return false;
    }
    files->has_maps = true;
    return !in.bad;
}

static void forget_location(struct event_files *files)
{
    files->clocks.count = files->clock = 0;
    for (int i = 0; files->has_maps && i < MAPPINGS; i++)
        id_map_clear(&files->maps[i]);
    files->has_maps = false;
    if (files->has_attributes)
        OTF2_AttributeList_RemoveAllAttributes(files->attributes);
    files->has_attributes = false;
}

static bool read_local_definitions(struct event_files *files, uint64_t location)
{
    const int file = open_file(files, location, "def");
    if (file < 0)
        return errno == ENOENT;
    const ssize_t got = read_bytes(file, files->chunk, DEFINITION_BYTES);
    close(file);
    if (got < 0 || got == DEFINITION_BYTES)
        return false;
    struct span in = {files->chunk, files->chunk + got, false};
    bool usual = header(&in);
    while (usual && !in.bad) {
        switch (byte(&in)) {
        case END_OF_FILE:
            /* The last offset is no interval of its own, because it has no end. */
            files->clocks.count -= files->clocks.count > 0;
            return true;
        case MAPPING_TABLE:
            usual = add_mapping(files, record(&in));
            break;
        case CLOCK_OFFSET:
            usual = add_clock(files, record(&in));
            break;
        default:
            usual = false;
        }
    }
    return false;
}

/* --- events ------------------------------------------------------------------------------------
 */

static uint32_t mapped(const struct event_files *files, OTF2_MappingType kind, uint32_t id)
{
    if (__builtin_expect(!files->has_maps, 1))
        return id;
    const uint32_t global = id_map_get(&files->maps[kind], id);
    return global == INDEX_NONE ? id : global;
}

static uint64_t corrected(struct event_files *files, uint64_t time)
{
    if (__builtin_expect(files->clocks.count == 0, 1))
        return time;
    while (files->clock + 1 < files->clocks.count && time > files->clocks.items[files->clock].end)
        files->clock++;
    const struct clock_interval *at = &files->clocks.items[files->clock];
    const double since =
        time >= at->begin ? (double)(time - at->begin) : -(double)(at->begin - time);
    return time + (uint64_t)(at->offset + (int64_t)rint(at->slope * since));
}

/* The value of an attribute. False: of a type that no attribute of ours has. */
static bool attribute_value(const struct event_files *files, OTF2_Type type,
                            OTF2_AttributeValue *value, struct span *in)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
        value->uint8 = byte(in);
        break;
    case OTF2_TYPE_UINT16:
        value->uint16 = byte(in);
        value->uint16 |= (uint16_t)(byte(in) << 8);
        break;
    case OTF2_TYPE_UINT32:
        value->uint32 = number32(in);
        break;
    case OTF2_TYPE_UINT64:
        value->uint64 = number64(in);
        break;
    case OTF2_TYPE_GROUP:
        value->groupRef = mapped(files, OTF2_MAPPING_GROUP, number32(in));
        break;
    case OTF2_TYPE_COMM:
        value->commRef = mapped(files, OTF2_MAPPING_COMM, number32(in));
        break;
    default:
        return false;
    }
    return !in->bad;
}

static bool read_attributes(struct event_files *files, struct span in)
{
    const uint32_t count = number32(&in);
    for (uint32_t i = 0; i < count && !in.bad; i++) {
        const uint32_t id = mapped(files, OTF2_MAPPING_ATTRIBUTE, number32(&in));
        const OTF2_Type type = byte(&in);
        OTF2_AttributeValue value;
        if (!attribute_value(files, type, &value, &in) ||
            OTF2_AttributeList_AddAttribute(files->attributes, id, type, value) != OTF2_SUCCESS)
            return false;
        files->has_attributes = true;
    }
    return whole(&in);
}

/* What the callbacks of OTF2 get first. */
#define COMMON 0, time, 0, b, list

/* Values of metrics are not kept. */
static bool skip_metric(struct span in)
{
    number32(&in); /* the metric */
    const uint8_t count = byte(&in);
    for (int i = 0; i < count; i++)
        byte(&in); /* the type of a value */
    for (int i = 0; i < count; i++)
        number64(&in);
    return whole(&in);
}

/* The end of a blocking collective operation, or of a nonblocking one, which has a request. The
 * numbers are read in the order of the file. */
static bool collective(struct event_files *files, struct builder *b, enum record kind,
                       uint64_t time, OTF2_AttributeList *list, struct span in)
{
    const OTF2_CollectiveOp operation = byte(&in);
    const uint32_t comm = mapped(files, OTF2_MAPPING_COMM, number32(&in));
    const uint32_t root = number32(&in);
    const uint64_t sent = number64(&in), received = number64(&in);
    const uint64_t request = kind == RECORD_COLLECTIVE_END ? 0 : number64(&in);
    if (!whole(&in))
        return false;
    if (kind == RECORD_COLLECTIVE_END)
        load_collective_end(COMMON, operation, comm, root, sent, received);
    else
        load_nbc_complete(COMMON, operation, comm, root, sent, received, request);
    return true;
}

static bool message(struct event_files *files, struct builder *b, enum record kind, uint64_t time,
                    OTF2_AttributeList *list, struct span in)
{
    const uint32_t peer = number32(&in);
    const uint32_t comm = mapped(files, OTF2_MAPPING_COMM, number32(&in));
    const uint32_t tag = number32(&in);
    const uint64_t bytes = number64(&in);
    const bool has_request = kind == RECORD_ISEND || kind == RECORD_IRECV;
    const uint64_t request = has_request ? number64(&in) : 0;
    if (!whole(&in))
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

/* A record of one number or none. */
static bool short_record(struct event_files *files, struct builder *b, enum record kind,
                         uint64_t time, OTF2_AttributeList *list, struct span in)
{
    uint64_t number = 0;
    if (kind == RECORD_FLUSH)
        number = whole64(&in);
    else if (kind == RECORD_MEASUREMENT)
        number = byte(&in);
    else if (kind == RECORD_NBC_REQUEST)
        number = number64(&in);
    else if (kind != RECORD_COLLECTIVE_BEGIN)
        number = mapped(files, OTF2_MAPPING_COMM, number32(&in));
    if (!whole(&in))
        return false;
    switch (kind) {
    case RECORD_FLUSH:
        load_flush(COMMON, corrected(files, number));
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

static bool program(struct event_files *files, struct builder *b, bool begins, uint64_t time,
                    OTF2_AttributeList *list, struct span in)
{
    if (!begins) {
        const int64_t status = (int64_t)number64(&in);
        if (whole(&in))
            load_program_end(COMMON, status);
        return whole(&in);
    }
    const uint32_t name = mapped(files, OTF2_MAPPING_STRING, number32(&in));
    for (uint32_t arguments = number32(&in); arguments > 0 && !in.bad; arguments--)
        number32(&in); /* not kept */
    if (whole(&in))
        load_program_begin(COMMON, name, 0, NULL);
    return whole(&in);
}

/* One record behind its type. False: it is unusual. */
static inline bool read_record(struct event_files *files, struct builder *b, uint8_t kind,
                               uint64_t time, struct span *in)
{
    OTF2_AttributeList *list = files->has_attributes ? files->attributes : NULL;
    uint64_t request;
    uint32_t region;
    bool usual = true;
    switch (kind) {
    case RECORD_ENTER:
    case RECORD_LEAVE:
        region = mapped(files, OTF2_MAPPING_REGION, number32(in));
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
        request = number64(in);
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
        usual = message(files, b, kind, time, list, record(in));
        break;
    case RECORD_COLLECTIVE_END:
    case RECORD_NBC_COMPLETE:
        usual = collective(files, b, kind, time, list, record(in));
        break;
    case RECORD_COLLECTIVE_BEGIN:
    case RECORD_NBC_REQUEST:
    case RECORD_COMM_CREATE:
    case RECORD_COMM_DESTROY:
    case RECORD_FLUSH:
    case RECORD_MEASUREMENT:
        usual = short_record(files, b, kind, time, list, record(in));
        break;
    case RECORD_METRIC:
        usual = skip_metric(record(in));
        break;
    case RECORD_PROGRAM_BEGIN:
    case RECORD_PROGRAM_END:
        usual = program(files, b, kind == RECORD_PROGRAM_BEGIN, time, list, record(in));
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
#undef COMMON

/* Reads the records of a chunk. `*kind` is that of the last one read: the end of the chunk or of
 * the file. False: there is something unusual. */
static bool read_chunk(struct event_files *files, struct builder *b, size_t bytes, uint64_t *raw,
                       uint8_t *kind)
{
    struct span in = {files->chunk, files->chunk + bytes, false};
    if (!header(&in))
        return false;
    uint64_t time = corrected(files, *raw);
    while (b->status == STATUS_OK) {
        if (in.end - in.at > TIME_STAMP_BYTES && in.at[0] == TIME_STAMP) {
            in.at++;
            *raw = whole64(&in);
            time = corrected(files, *raw);
        }
        *kind = byte(&in);
        if (in.bad || *kind == END_OF_CHUNK || *kind == END_OF_FILE)
            return !in.bad;
        if (*kind == ATTRIBUTES) {
            struct span list = record(&in);
            if (in.bad || files->has_attributes || !read_attributes(files, list))
                return false;
        } else if (!read_record(files, b, *kind, time, &in)) {
            return false;
        }
    }
    return true;
}

bool event_files_read(struct event_files *files, struct builder *b)
{
    const uint64_t location = b->source->definitions->locations[b->stream->location].id;
    forget_location(files);
    if (!read_local_definitions(files, location))
        return false;
    const int file = open_file(files, location, "evt");
    bool usual = file >= 0;
    uint64_t time = 0;
    uint8_t kind = END_OF_CHUNK;
    while (usual && kind == END_OF_CHUNK && b->status == STATUS_OK) {
        const uint64_t before = b->records;
        const ssize_t got = read_bytes(file, files->chunk, files->chunk_bytes);
        usual = got > 0 && read_chunk(files, b, (size_t)got, &time, &kind);
        progress_add((double)(b->records - before));
    }
    if (file >= 0)
        close(file);
    files->read += usual;
    return usual;
}

uint32_t event_files_count(const struct event_files *files)
{
    return files ? files->read : 0;
}
