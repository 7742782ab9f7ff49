#include "folded_file.h"

#include "trace/folded/container_private.h"
#include "trace/folded/definitions_code.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SECTIONS = 16,
    MOST_BYTES = 1 << 16, /* of a part, unpacked */
    /* Loops may have any number of rows, whatever the size of the file, and take memory for each.
     * This is right, but it looks like an allocation out of proportion. */
    MOST_ROWS = 4096,
};

/* A file whose index, and whose streams if `sections_known`, are unpacked. */
struct folded_file {
    struct bytes index;
    size_t definitions_size; /* of the index: what comes before its sections */
    struct bytes behind;     /* of the index: what comes behind them */
    bool sections_known;
    struct section sections[MOST_SECTIONS];
    uint32_t section_count;
    struct stream_bytes streams[MOST_SECTIONS];
    struct bytes packed_streams; /* as they were */
    bool shared;                 /* the first section's numbers are known to the others */
};

static void file_clear(struct folded_file *file)
{
    for (uint32_t i = 0; i < MOST_SECTIONS; i++)
        stream_bytes_clear(&file->streams[i]);
    bytes_clear(&file->index);
    bytes_clear(&file->behind);
    bytes_clear(&file->packed_streams);
}

static struct dictionary known_to(const struct folded_file *file, uint32_t section)
{
    if (section == 0 || !file->shared)
        return (struct dictionary){0};
    return (struct dictionary){file->streams[0].numbers.data, file->streams[0].numbers.size};
}

static bool unpack_sections(struct folded_file *file)
{
    const char *at = file->packed_streams.data;
    size_t left = file->packed_streams.size;
    for (uint32_t i = 0; i < file->section_count; i++) {
        const struct section *s = &file->sections[i];
        if (s->numbers > MOST_BYTES || s->symbols > MOST_BYTES || s->low > left ||
            s->numbers_packed > left || s->symbols_packed > left || section_size(s) > left ||
            packing_expand(PACKING_NUMBERS, known_to(file, i), at, s->numbers_packed, s->numbers,
                           &file->streams[i].numbers) != STATUS_OK ||
            packing_expand(PACKING_NOISE, (struct dictionary){0}, at + s->numbers_packed,
                           s->symbols_packed, s->symbols, &file->streams[i].symbols) != STATUS_OK ||
            !bytes_put(&file->streams[i].low, at + s->numbers_packed + s->symbols_packed, s->low))
            return false;
        at += section_size(s);
        left -= section_size(s);
    }
    return left == 0;
}

static bool read_sections(struct folded_file *file)
{
    struct coder coder = {.decoding = true,
                          .read = (const unsigned char *)file->index.data,
                          .size = file->index.size};
    struct definitions *definitions = NULL;
    struct calltree calltree = {0};
    struct section none = {.location = UINT32_MAX};
    uint64_t quantum = 0;
    code_number(&coder, &quantum);
    definitions_code(&coder, &definitions, &calltree);
    file->definitions_size = coder.at;
    code_count(&coder, &file->section_count, MOST_SECTIONS);
    for (uint32_t i = 0; i < file->section_count; i++)
        section_code(&coder, &file->sections[i], i ? &file->sections[i - 1] : &none);
    bool fits = !coder.failed;
    if (fits)
        fits = bytes_put(&file->behind, file->index.data + coder.at, coder.size - coder.at);
    file->shared = fits && file->section_count > 0 && definitions->rank_count > 0 &&
                   definitions->rank_location[0] == file->sections[0].location;
    if (definitions)
        arena_destroy(definitions->arena);
    calltree_clear(&calltree);
    return fits;
}

/* False if this is not a file with an index. */
static bool file_open(struct folded_file *file, const uint8_t *data, size_t size)
{
    uint64_t sizes[2];
    if (size < HEADER_SIZE || memcmp(data, CONTAINER_MARK, MARK_SIZE) != 0)
        return false;
    memcpy(sizes, data + MARK_SIZE, sizeof sizes);
    size_t packed = le64toh(sizes[0]), unpacked = le64toh(sizes[1]);
    if (packed > size - HEADER_SIZE || unpacked > MOST_BYTES ||
        packing_expand(PACKING_NUMBERS, known_definitions, data + HEADER_SIZE, packed, unpacked,
                       &file->index) != STATUS_OK ||
        !bytes_put(&file->packed_streams, data + HEADER_SIZE + packed, size - HEADER_SIZE - packed))
        return false;
    file->sections_known = read_sections(file) && unpack_sections(file);
    return true;
}

/* Changes the bytes from `from` to `to` of a block. */
static bool mutate_bytes(struct bytes *bytes, size_t from, size_t to, mutate_function *mutate)
{
    enum { ROOM = 64 }; /* for more bytes */
    size_t room = to - from + ROOM;
    uint8_t *changed = calloc(1, room);
    const char *old = bytes->data ? bytes->data : "";
    struct bytes result = {0};
    bool fits = changed != NULL;
    if (fits)
        memcpy(changed, old + from, to - from);
    size_t size = fits ? mutate(changed, to - from, room) : 0;
    fits = fits && bytes_put(&result, old, from) && bytes_put(&result, changed, size) &&
           bytes_put(&result, old + to, bytes->size - to);
    free(changed);
    bytes_clear(bytes);
    *bytes = result;
    return fits;
}

/* The number of rows that the stream says it has. */
static uint64_t rows_of(const struct bytes *numbers)
{
    enum { BEFORE = 7 }; /* the numbers of events, and of items in six tables */
    struct coder coder = {
        .decoding = true, .read = (const unsigned char *)numbers->data, .size = numbers->size};
    uint64_t rows = 0;
    for (int i = 0; i <= BEFORE; i++)
        code_number(&coder, &rows);
    return rows;
}

static bool change_section(struct folded_file *file, unsigned seed, mutate_function *mutate)
{
    uint32_t i = seed % file->section_count;
    unsigned part = seed / file->section_count % 8;
    struct bytes *bytes = part == 0   ? &file->streams[i].low
                          : part == 1 ? &file->streams[i].symbols
                                      : &file->streams[i].numbers;
    return mutate_bytes(bytes, 0, bytes->size, mutate) &&
           rows_of(&file->streams[i].numbers) <= MOST_ROWS;
}

static bool change(struct folded_file *file, unsigned seed, mutate_function *mutate)
{
    unsigned what = seed % 4;
    if (!file->sections_known)
        return mutate_bytes(&file->index, 0, file->index.size, mutate);
    if (what > 1 && file->section_count > 0)
        return change_section(file, seed / 4, mutate);
    const size_t from = file->definitions_size, behind = file->index.size - from;
    if (what == 0) {
        file->sections_known = false; /* the index stays as it is changed */
        return mutate_bytes(&file->index, from, file->index.size, mutate);
    }
    bool fits = mutate_bytes(&file->index, 0, from, mutate);
    file->definitions_size = file->index.size - behind;
    return fits;
}

static bool pack_sections(struct folded_file *file, struct coder *index)
{
    struct section none = {.location = UINT32_MAX};
    file->packed_streams.size = 0;
    code_u32(index, &file->section_count);
    for (uint32_t i = 0; i < file->section_count; i++) {
        if (!section_pack(&file->sections[i], known_to(file, i), &file->streams[i],
                          &file->packed_streams))
            return false;
        section_code(index, &file->sections[i], i ? &file->sections[i - 1] : &none);
    }
    return !index->failed && bytes_put(&index->written, file->behind.data, file->behind.size);
}

/* The size; 0 if there is no room. */
static size_t file_put(struct folded_file *file, uint8_t *data, size_t room)
{
    struct coder index = {0};
    struct bytes packed = {0};
    bool fits = bytes_put(&index.written, file->index.data,
                          file->sections_known ? file->definitions_size : file->index.size) &&
                (!file->sections_known || pack_sections(file, &index)) &&
                packing_compress(PACKING_NUMBERS, known_definitions, index.written.data,
                                 index.written.size, &packed);
    size_t size = HEADER_SIZE + packed.size + file->packed_streams.size;
    if (fits && size <= room) {
        header_make(data, &packed, index.written.size);
        memcpy(data + HEADER_SIZE, packed.data, packed.size);
        if (file->packed_streams.size > 0)
            memcpy(data + HEADER_SIZE + packed.size, file->packed_streams.data,
                   file->packed_streams.size);
    } else
        size = 0;
    bytes_clear(&packed);
    bytes_clear(&index.written);
    return size;
}

/* So that a file which was changed as it is may be read as far as its index. */
static void mend_checksums(uint8_t *data, size_t size)
{
    uint64_t packed;
    memcpy(&packed, data + MARK_SIZE, sizeof packed);
    packed = le64toh(packed);
    if (packed > size - HEADER_SIZE)
        packed = size - HEADER_SIZE;
    header_sign(data, data + HEADER_SIZE, packed);
}

size_t folded_file_mutate(uint8_t *data, size_t size, size_t room, unsigned seed,
                          mutate_function *mutate)
{
    struct folded_file file = {0};
    size_t changed = 0;
    if (seed % 8 != 0 && file_open(&file, data, size) && change(&file, seed / 8, mutate))
        changed = file_put(&file, data, room);
    file_clear(&file);
    if (changed > 0)
        return changed;
    size = mutate(data, size, room);
    if (size >= HEADER_SIZE)
        mend_checksums(data, size);
    return size;
}
