#include "trace/load/event_files_private.h"

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
    SLACK = 16, /* bytes after a chunk that may be read, but have no meaning */
    DEFINITION_BYTES = 64 * 1024,
};

static bool header(struct byte_span *b)
{
    const bool usual =
        b->end - b->at > HEADER_BYTES && b->at[0] == CHUNK_HEADER && b->at[1] == LITTLE_ENDIAN_MARK;
    b->at += usual ? HEADER_BYTES : 0;
    return usual;
}

/* Opens the file of a location. -1: it cannot be opened. */
static int open_event_file(const struct event_files *files, uint64_t location, const char *suffix)
{
    char name[32];
    snprintf(name, sizeof name, "%llu.%s", (unsigned long long)location, suffix);
    return openat(files->folder, name, O_RDONLY | O_CLOEXEC);
}

/* Reads up to `most` bytes; -1 after an error. A file returns fewer bytes only at its end, so most
 * files take a single call. If a file system does so elsewhere, a record is cut off, and the
 * location is unusual. */
static ssize_t read_at_most(int file, uint8_t *bytes, size_t most)
{
    ssize_t got;
    do
        got = read(file, bytes, most);
    while (got < 0 && errno == EINTR);
    return got;
}

void event_files_close(struct event_files *files)
{
    if (!files)
        return;
    if (files->folder >= 0)
        close(files->folder);
    free(files->chunk);
    free(files->clocks.items);
    for (int i = 0; i < MAPPINGS; i++)
        id_map_clear(&files->maps[i]);
    if (files->attributes)
        OTF2_AttributeList_Delete(files->attributes);
    free(files);
}

/* Opens the folder whose name is the first `length` characters of `path`. -1: it cannot be opened.
 */
static int open_folder(const char *path, size_t length)
{
    char *name = strndup(path, length);
    const int folder = name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(name);
    return folder;
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
    files->folder = open_folder(anchor, length - suffix);
    files->chunk_bytes = (size_t)events;
    files->chunk = malloc(files->chunk_bytes + SLACK);
    files->attributes = OTF2_AttributeList_New();
    if (files->folder < 0 || !files->chunk || !files->attributes) {
        event_files_close(files);
        return NULL;
    }
    memset(files->chunk + files->chunk_bytes, 0, SLACK);
    return files;
}

#define MOST_TICKS \
    (INT64_C(1) << 61) /* of an offset; sums and differences of two do not overflow */

/* As in OTF2, an interval ends where the next offset was measured, and the last interval does not
 * end. */
static bool add_clock(struct event_files *files, struct byte_span in)
{
    const uint64_t time = byte_span_whole64(&in);
    const int64_t offset = (int64_t)byte_span_number64(&in);
    const size_t count = files->clocks.count;
    if (in.bad || offset > MOST_TICKS || offset < -MOST_TICKS)
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

static bool add_mapping(struct event_files *files, struct byte_span in)
{
    const uint8_t kind = byte_span_byte(&in);
    const uint64_t count = byte_span_number64(&in);
    const uint8_t pairs = byte_span_byte(&in);
    if (kind >= MAPPINGS)
        return !in.bad; /* a mapping of ids that are not used here */
    struct id_map *map = &files->maps[kind];
    if (in.bad || pairs > 1 || map->low_count > 0 || map->high.count > 0)
        return false;
    for (uint64_t i = 0; i < count && !in.bad; i++) {
        const uint64_t local = pairs ? byte_span_number64(&in) : i,
                       global = byte_span_number64(&in);
        if (in.bad || global >= INDEX_NONE || !id_map_set(map, local, (uint32_t)global))
            return false;
    }
    files->has_maps = true;
    return byte_span_is_read(&in);
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

static bool read_local_directly(struct event_files *files, uint64_t location)
{
    const int file = open_event_file(files, location, "def");
    if (file < 0)
        return errno == ENOENT;
    const ssize_t got = read_at_most(file, files->chunk, DEFINITION_BYTES);
    close(file);
    if (got < 0 || got == DEFINITION_BYTES)
        return false;
    struct byte_span in = {files->chunk, files->chunk + got, false};
    bool usual = header(&in);
    while (usual && !in.bad) {
        switch (byte_span_byte(&in)) {
        case END_OF_FILE:
            /* The last offset only ends the interval before it. */
            files->clocks.count -= files->clocks.count > 0;
            return true;
        case MAPPING_TABLE:
            usual = add_mapping(files, byte_span_record(&in));
            break;
        case CLOCK_OFFSET:
            usual = add_clock(files, byte_span_record(&in));
            break;
        default:
            usual = false;
        }
    }
    return false;
}

uint64_t event_files_time(struct event_files *files, uint64_t time)
{
    if (__builtin_expect(files->clocks.count == 0, 1))
        return time;
    while (files->clock + 1 < files->clocks.count && time > files->clocks.items[files->clock].end)
        files->clock++;
    const struct clock_interval *at = &files->clocks.items[files->clock];
    const double since =
        time >= at->begin ? (double)(time - at->begin) : -(double)(at->begin - time);
    const double more = rint(at->slope * since);
    if (!(fabs(more) <= (double)MOST_TICKS)) /* the time stamp is damaged; the loader reports it */
        return time;
    return time + (uint64_t)(at->offset + (int64_t)more);
}

/* Reads the records of a chunk. `*kind` becomes the type of the last record: the end of the chunk
 * or of the file. False: a record is unusual. */
static bool read_chunk(struct event_files *files, struct stream_builder *b, size_t bytes,
                       uint64_t *raw, uint8_t *kind)
{
    struct byte_span in = {files->chunk, files->chunk + bytes, false};
    if (!header(&in))
        return false;
    uint64_t time = event_files_time(files, *raw);
    while (b->status == STATUS_OK) {
        if (in.end - in.at > TIME_STAMP_BYTES && in.at[0] == TIME_STAMP) {
            in.at++;
            *raw = byte_span_whole64(&in);
            time = event_files_time(files, *raw);
        }
        *kind = byte_span_byte(&in);
        if (in.bad || *kind == END_OF_CHUNK || *kind == END_OF_FILE)
            return !in.bad;
        if (*kind == ATTRIBUTES) {
            struct byte_span list = byte_span_record(&in);
            if (in.bad || files->has_attributes || !event_attributes_read(files, list))
                return false;
        } else if (!event_record_read(files, b, *kind, time, &in)) {
            return false;
        }
    }
    return true;
}

bool event_files_read(struct event_files *files, struct stream_builder *b)
{
    assert(b->count == 0 && b->stream->location != INDEX_NONE);
    const uint64_t location = b->source->definitions->locations[b->stream->location].id;
    forget_location(files);
    if (!read_local_directly(files, location))
        return false;
    const int file = open_event_file(files, location, "evt");
    bool usual = file >= 0;
    uint64_t time = 0;
    uint8_t kind = END_OF_CHUNK;
    while (usual && kind == END_OF_CHUNK && b->status == STATUS_OK) {
        const uint64_t before = b->records;
        const ssize_t got = read_at_most(file, files->chunk, files->chunk_bytes);
        usual = got > 0 && read_chunk(files, b, (size_t)got, &time, &kind);
        progress_add((double)(b->records - before));
    }
    if (file >= 0)
        close(file);
    files->read += usual;
    return usual;
}

/* Skips the records of a chunk; `*kind` as in read_chunk. False: a record does not end within the
 * chunk. */
static bool skip_chunk(const struct event_files *files, size_t bytes, uint8_t *kind,
                       uint64_t *records)
{
    struct byte_span in = {files->chunk, files->chunk + bytes, false};
    if (!header(&in))
        return false;
    while (!in.bad) {
        *kind = byte_span_byte(&in);
        if (in.bad || *kind == END_OF_CHUNK || *kind == END_OF_FILE)
            break;
        if (*kind == TIME_STAMP)
            byte_span_whole64(&in);
        else if (event_record_is_number(*kind))
            byte_span_number64(&in);
        else
            byte_span_record(&in);
        *records += !in.bad && *kind != TIME_STAMP && *kind != ATTRIBUTES;
    }
    return !in.bad;
}

bool event_files_whole(struct event_files *files, uint64_t location, uint64_t *records)
{
    const int file = open_event_file(files, location, "evt");
    bool whole = file >= 0;
    uint8_t kind = END_OF_CHUNK;
    *records = 0;
    while (whole && kind == END_OF_CHUNK) {
        const ssize_t got = read_at_most(file, files->chunk, files->chunk_bytes);
        whole = got > 0 && skip_chunk(files, (size_t)got, &kind, records);
    }
    if (file >= 0)
        close(file);
    return whole;
}

uint32_t event_files_count(const struct event_files *files)
{
    return files ? files->read : 0;
}
