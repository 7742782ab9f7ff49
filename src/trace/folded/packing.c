/* Raw LZMA2 without a container: sizes and checksums are in the index of the file. It was chosen
 * by measurement: on the durations of real programs its adaptive coder is 6 to 13 % smaller than
 * zstd -19 (doc/reduction.md). */
#include "trace/folded/packing.h"

#include <assert.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

static void append_number(struct coder *coder, uint64_t number)
{
    unsigned char bytes[10];
    size_t size = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[size++] = (unsigned char)(number | 0x80);
    bytes[size++] = (unsigned char)number;
    coder->failed |= !bytes_put(&coder->written, bytes, size);
}

static uint64_t next_number(struct coder *coder)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (coder->at >= coder->size)
            break;
        unsigned char byte = coder->read[coder->at++];
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    coder->failed = true;
    return 0;
}

void code_number(struct coder *coder, uint64_t *number)
{
    if (coder->decoding)
        *number = next_number(coder);
    else
        append_number(coder, *number);
}

void code_u32(struct coder *coder, uint32_t *number)
{
    uint64_t wide = coder->decoding ? 0 : *number;
    code_number(coder, &wide);
    *number = (uint32_t)wide;
}

void code_u8(struct coder *coder, uint8_t *number)
{
    code_bytes(coder, number, 1);
}

void code_bool(struct coder *coder, bool *value)
{
    uint8_t byte = !coder->decoding && *value;
    code_u8(coder, &byte);
    *value = byte != 0;
}

void code_near(struct coder *coder, uint64_t *number, uint64_t expected)
{
    uint64_t difference = zigzag(*number - expected);
    code_number(coder, &difference);
    *number = expected + unzigzag(difference);
}

void code_u32_near(struct coder *coder, uint32_t *number, uint32_t expected)
{
    uint64_t difference = zigzag((uint64_t)(int64_t)(int32_t)(*number - expected));
    code_number(coder, &difference);
    *number = expected + (uint32_t)unzigzag(difference);
}

void code_bytes(struct coder *coder, void *data, size_t size)
{
    assert(data || size == 0);
    if (!coder->decoding) {
        coder->failed |= !bytes_put(&coder->written, data, size);
        return;
    }
    if (coder->size - coder->at < size) {
        coder->failed = true;
        memset(data, 0, size);
        return;
    }
    memcpy(data, coder->read + coder->at, size);
    coder->at += size;
}

void code_count(struct coder *coder, uint32_t *count, uint64_t limit)
{
    code_u32(coder, count);
    if (*count > limit) {
        coder->failed = true;
        *count = 0;
    }
}

enum {
    WINDOW_LEAST = 1 << 12,
    WINDOW_MOST = 1 << 24,
    MATCH_LONGEST = 273, /* of the format */
    LARGE = 1 << 20,     /* bytes; larger blocks are compressed with less effort */
    USUAL_RATIO =
        8, /* expected compression; blocks with a higher one are decompressed a second time */
};

/* Writer and reader must pass the same arguments. */
static bool filter_options(lzma_options_lzma *options, enum packing packing,
                           struct dictionary known, size_t size)
{
    if (lzma_lzma_preset(options, size > LARGE ? 4 : 9 | LZMA_PRESET_EXTREME))
        return false;
    options->dict_size = WINDOW_LEAST;
    while (options->dict_size < WINDOW_MOST && options->dict_size < known.size + size)
        options->dict_size *= 2;
    options->pb = options->lp = 0;
    options->lc = packing == PACKING_NOISE ? 0 : 2;
    if (packing == PACKING_NOISE && size > LARGE) {
        /* there are few repetitions to find but runs of equal symbols */
        options->mode = LZMA_MODE_FAST;
        options->mf = LZMA_MF_HC4;
        options->nice_len = MATCH_LONGEST;
        options->depth = 1;
    }
    options->preset_dict = known.size ? known.data : NULL;
    options->preset_dict_size = (uint32_t)known.size;
    return true;
}

bool packing_compress(enum packing packing, struct dictionary known, const void *data, size_t size,
                      struct bytes *packed)
{
    assert(data || size == 0);
    lzma_options_lzma options;
    if (!filter_options(&options, packing, known, size))
        return false;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_raw_encoder(&stream, filters) != LZMA_OK)
        return false;
    unsigned char chunk[1 << 14];
    stream.next_in = data;
    stream.avail_in = size;
    lzma_ret code = LZMA_OK;
    while (code == LZMA_OK) {
        stream.next_out = chunk;
        stream.avail_out = sizeof chunk;
        code = lzma_code(&stream, LZMA_FINISH);
        if (!bytes_put(packed, chunk, sizeof chunk - stream.avail_out))
            code = LZMA_MEM_ERROR;
    }
    lzma_end(&stream);
    return code == LZMA_STREAM_END;
}

/* Decompresses the first `room` bytes of a block into `data`. LZMA_BUF_ERROR: there are more. */
static lzma_ret unpack_first(enum packing packing, struct dictionary known, const void *packed,
                             size_t packed_size, size_t room, struct bytes *data)
{
    lzma_options_lzma options;
    if (!filter_options(&options, packing, known, room))
        return LZMA_OPTIONS_ERROR;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    size_t in = 0;
    lzma_ret code = lzma_raw_buffer_decode(filters, NULL, packed, &in, packed_size,
                                           (uint8_t *)data->data, &data->size, room);
    return code == LZMA_OK && in < packed_size ? LZMA_DATA_ERROR : code;
}

enum status packing_expand(enum packing packing, struct dictionary known, const void *packed,
                           size_t packed_size, size_t size, struct bytes *data)
{
    assert(data->size == 0);
    lzma_ret code = LZMA_BUF_ERROR;
    for (size_t room = USUAL_RATIO * packed_size; code == LZMA_BUF_ERROR; room *= 4) {
        room = room < size ? room : size;
        char *larger = realloc(data->data, room + 1); /* an empty block would not be freed */
        if (!larger) {
            code = LZMA_MEM_ERROR;
            break;
        }
        *data = (struct bytes){.data = larger, .capacity = room + 1};
        code = unpack_first(packing, known, packed, packed_size, room, data);
        if (room == size)
            break;
    }
    if (code == LZMA_OK && data->size == size)
        return STATUS_OK;
    bytes_clear(data);
    return code == LZMA_MEM_ERROR ? STATUS_ENVIRONMENT : STATUS_INPUT;
}

uint32_t block_checksum(const void *data, size_t size)
{
    return lzma_crc32(data, size, 0);
}
