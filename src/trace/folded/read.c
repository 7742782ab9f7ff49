#include "base/names.h"
#include "trace/folded/container_private.h"
#include "trace/folded/definitions_code.h"
#include "trace/folded/loops.h"
#include "trace/folded/streams.h"
#include "trace/check.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_mark(const char *path)
{
    char mark[MARK_SIZE];
    FILE *file = fopen(path, "rb");
    bool found = file && fread(mark, 1, sizeof mark, file) == sizeof mark &&
                 memcmp(mark, CONTAINER_MARK, MARK_SIZE - 1) == 0;
    if (file)
        fclose(file);
    return found;
}

static char *find_in(const char *directory)
{
    DIR *dir = opendir(directory);
    char *path = NULL;
    size_t found = 0, length = strlen(directory);
    if (!dir)
        return NULL;
    while (length > 1 && directory[length - 1] == '/')
        length--;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (name_ends_with(entry->d_name, ".loops") && found++ == 0 &&
            asprintf(&path, "%.*s/%s", (int)length, directory, entry->d_name) < 0)
            path = NULL;
    closedir(dir);
    if (found == 1)
        return path;
    free(path);
    return NULL;
}

char *loops_find(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return NULL;
    if (S_ISDIR(info.st_mode))
        return find_in(path);
    return name_ends_with(path, ".loops") || has_mark(path) ? strdup(path) : NULL;
}

struct container {
    const char *path;
    int file;
    uint64_t size;
    uint64_t quantum;
    struct section *sections; /* in the order of the file */
    uint64_t *places;         /* [section_count]: where each begins */
    uint32_t section_count;
};

static enum status container_damaged(const struct container *c, const char *what,
                                     struct error *error)
{
    return error_set(error, STATUS_INPUT,
                     "%s: this archive of folded loops is damaged: %s; make it again from the "
                     "original trace",
                     c->path, what);
}

/* Sets the error for a status that distinguishes only damage and lack of memory. */
static enum status worded(const struct container *c, enum status status, const char *what,
                          struct error *error)
{
    if (status == STATUS_INPUT)
        return container_damaged(c, what, error);
    return status == STATUS_OK ? STATUS_OK : error_memory(error, "the trace");
}

/* Reads `size` bytes at offset `at`. */
static enum status read_at(const struct container *c, void *data, size_t size, uint64_t at,
                           struct error *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(c->file, (char *)data + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be read (%s)", c->path,
                             strerror(errno));
        if (got == 0)
            return container_damaged(c, "it ends too early", error);
        done += (size_t)got;
    }
    return STATUS_OK;
}

static enum status container_open_file(struct container *c, struct error *error)
{
    struct stat info;
    c->file = open(c->path, O_RDONLY | O_CLOEXEC);
    if (c->file < 0 || fstat(c->file, &info) != 0)
        return error_set(error, STATUS_INPUT, "%s: %s", c->path, strerror(errno));
    c->size = (uint64_t)info.st_size;
    return STATUS_OK;
}

/* Computes the places of the sections. Fails if the file is longer or shorter than they require. */
static enum status place_sections(struct container *c, uint64_t at, struct error *error)
{
    for (uint32_t i = 0; i < c->section_count; i++) {
        const struct section *s = &c->sections[i];
        uint64_t rest = c->size - at;
        if (s->numbers_packed > rest || s->symbols_packed > rest || s->low > rest ||
            section_size(s) > rest)
            return container_damaged(c, "it ends too early", error);
        c->places[i] = at;
        at += section_size(s);
    }
    return at == c->size ? STATUS_OK
                         : container_damaged(c, "it is longer than its index says", error);
}

static enum status parse_index(struct container *c, const struct bytes *index, uint64_t streams_at,
                               struct definitions **definitions, struct calltree *calltree,
                               struct error *error)
{
    struct coder coder = {
        .decoding = true, .read = (const unsigned char *)index->data, .size = index->size};
    struct section none = {.location = UINT32_MAX};
    code_number(&coder, &c->quantum);
    definitions_code(&coder, definitions, calltree);
    if (coder.failed)
        return *definitions ? container_damaged(c, "its definitions make no sense", error)
                            : error_memory(error, "definitions");
    code_count(&coder, &c->section_count, (*definitions)->location_count);
    c->sections = calloc((size_t)c->section_count + 1, sizeof *c->sections);
    c->places = calloc((size_t)c->section_count + 1, sizeof *c->places);
    if (!c->sections || !c->places)
        return error_memory(error, "the trace");
    for (uint32_t i = 0; i < c->section_count; i++) {
        section_code(&coder, &c->sections[i], i ? &c->sections[i - 1] : &none);
        c->sections[i].crc = le32toh(c->sections[i].crc);
        coder.failed |= c->sections[i].location >= (*definitions)->location_count;
    }
    if (!coder.failed && coder.at < coder.size)
        grids_code(&coder, *definitions);
    if (!coder.failed && coder.at < coder.size)
        threads_code(&coder, *definitions);
    if (coder.failed || coder.at != coder.size)
        return container_damaged(c, "its index makes no sense", error);
    return place_sections(c, streams_at, error);
}

/* Opens the file and reads its index. */
static enum status container_read_index(struct container *c, struct definitions **definitions,
                                        struct calltree *calltree, struct error *error)
{
    unsigned char header[HEADER_SIZE];
    uint64_t sizes[2];
    uint32_t crc[2];
    enum status status = container_open_file(c, error);
    if (status != STATUS_OK)
        return status;
    if (c->size < HEADER_SIZE)
        return container_damaged(c, "it ends too early", error);
    if ((status = read_at(c, header, HEADER_SIZE, 0, error)) != STATUS_OK)
        return status;
    memcpy(sizes, header + MARK_SIZE, sizeof sizes);
    memcpy(crc, header + MARK_SIZE + sizeof sizes, sizeof crc);
    if (le32toh(crc[1]) != block_checksum(header, HEADER_SIZE - sizeof *crc))
        return container_damaged(c, "its header has a wrong checksum", error);
    if (memcmp(header, CONTAINER_MARK, MARK_SIZE) != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: not an archive of folded loops that this version of SILAS can read",
                         c->path);
    struct bytes packed = {.size = le64toh(sizes[0])}, index = {0};
    if (packed.size > c->size - HEADER_SIZE)
        return container_damaged(c, "it ends too early", error);
    packed.data = malloc(packed.capacity = packed.size + 1);
    if (!packed.data)
        status = error_memory(error, "definitions");
    else
        status = read_at(c, packed.data, packed.size, HEADER_SIZE, error);
    if (status == STATUS_OK && le32toh(crc[0]) != block_checksum(packed.data, packed.size))
        status = container_damaged(c, "its index has a wrong checksum", error);
    if (status == STATUS_OK)
        status = worded(c,
                        packing_expand(PACKING_NUMBERS, known_definitions, packed.data, packed.size,
                                       le64toh(sizes[1]), &index),
                        "its index cannot be unpacked", error);
    if (status == STATUS_OK)
        status = parse_index(c, &index, HEADER_SIZE + packed.size, definitions, calltree, error);
    const char *wrong = status == STATUS_OK ? definitions_check(*definitions) : NULL;
    if (wrong)
        status = container_damaged(c, wrong, error);
    bytes_clear(&packed);
    bytes_clear(&index);
    return status;
}

static void container_close(struct container *c)
{
    if (c->file >= 0)
        close(c->file);
    free(c->sections);
    free(c->places);
}

/* Unpacks the numbers of a section, and also the rest if `whole`. */
static enum status unpack_section(const struct container *c, uint32_t i, struct dictionary known,
                                  bool whole, struct stream_bytes *bytes, struct error *error)
{
    const struct section *s = &c->sections[i];
    const size_t size = section_size(s);
    char *packed = malloc(size + 1);
    *bytes = (struct stream_bytes){0};
    enum status status =
        packed ? read_at(c, packed, size, c->places[i], error) : error_memory(error, "the trace");
    if (status == STATUS_OK && block_checksum(packed, size) != s->crc)
        status = container_damaged(c, "a location has a wrong checksum", error);
    if (status == STATUS_OK) {
        status = packing_expand(PACKING_NUMBERS, known, packed, s->numbers_packed, s->numbers,
                                &bytes->numbers);
        if (status == STATUS_OK && whole)
            status =
                packing_expand(PACKING_NOISE, (struct dictionary){0}, packed + s->numbers_packed,
                               s->symbols_packed, s->symbols, &bytes->symbols);
        status = worded(c, status, "a location cannot be unpacked", error);
    }
    if (status == STATUS_OK && whole && packed &&
        !bytes_put(&bytes->low, packed + s->numbers_packed + s->symbols_packed, s->low))
        status = error_memory(error, "the trace");
    free(packed);
    return status;
}

static enum status fill_stream(const struct container *c, const struct trace *trace, uint32_t i,
                               struct dictionary known, struct stream *stream, struct error *error)
{
    struct stream_bytes bytes;
    enum status status = unpack_section(c, i, known, true, &bytes, error);
    if (status == STATUS_OK) {
        status = stream_read(stream, (uint32_t)trace->calltree.paths.count,
                             trace->definitions->window_count, c->quantum, &bytes, trace->arena);
        status = worded(c, status, "a location makes no sense", error);
    }
    stream_bytes_clear(&bytes);
    return status;
}

static enum status container_read_streams(const struct container *c, struct trace *trace,
                                          struct error *error)
{
    const uint32_t streams = trace->owned_count + trace->carried_count;
    uint32_t *of_location = /* section + 1; 0: none */
        calloc((size_t)trace->definitions->location_count + 1, sizeof *of_location);
    struct stream_bytes first = {0};
    enum status status = of_location ? STATUS_OK : error_memory(error, "the trace");
    for (uint32_t i = 0; of_location && i < c->section_count; i++)
        of_location[c->sections[i].location] = i + 1;
    if (status == STATUS_OK && c->section_count > 0)
        status = unpack_section(c, 0, (struct dictionary){0}, false, &first, error);
    bool shared = c->section_count > 0 && trace->definitions->rank_count > 0 &&
                  trace->definitions->rank_location[0] == c->sections[0].location;
    struct dictionary known = {first.numbers.data, shared ? first.numbers.size : 0};
    if (known.size > DICTIONARY_MOST)
        known.size = DICTIONARY_MOST;
    for (uint32_t i = 0; status == STATUS_OK && i < streams; i++) {
        struct stream *stream = trace_any_stream(trace, i);
        uint32_t section = stream->location == INDEX_NONE ? 0 : of_location[stream->location];
        if (section == 0)
            continue;
        struct dictionary its = known;
        if (section == 1)
            its.size = 0;
        status = fill_stream(c, trace, section - 1, its, stream, error);
    }
    stream_bytes_clear(&first);
    free(of_location);
    return status;
}

enum status loops_read(const char *path, struct trace *trace, struct error *error)
{
    assert(trace->arena && trace->processes && !trace->definitions);
    struct container c = {.path = path, .file = -1};
    enum status status = container_read_index(&c, &trace->definitions, &trace->calltree, error);
    if (status == STATUS_OK) {
        trace->rank_count = trace->definitions->rank_count;
        status = trace_choose_streams(trace, error);
    }
    if (status == STATUS_OK)
        status = container_read_streams(&c, trace, error);
    container_close(&c);
    return status;
}

enum status loops_read_definitions(const char *path, struct definitions **definitions,
                                   struct error *error)
{
    struct container c = {.path = path, .file = -1};
    struct calltree calltree = {0};
    *definitions = NULL;
    enum status status = container_read_index(&c, definitions, &calltree, error);
    container_close(&c);
    calltree_clear(&calltree);
    if (status != STATUS_OK && *definitions) {
        arena_destroy((*definitions)->arena);
        *definitions = NULL;
    }
    return status;
}
