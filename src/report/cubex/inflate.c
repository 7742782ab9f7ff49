#include "report/cubex/inflate.h"

#include "base/array.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    OUTPUT_STEP = 256 * 1024,
    ANY_HEADER = 32 + MAX_WBITS /* zlib's or gzip's */
};

struct inflated {
    ARRAY(unsigned char) bytes;
};

/* Inflates a piece of the rest; Z_STREAM_END at the end of a stream. */
static int inflate_step(z_stream *stream, struct inflated *output, const unsigned char *end)
{
    size_t left = (size_t)(end - stream->next_in);
    if (!array_reserve(&output->bytes, OUTPUT_STEP + 1))
        return Z_MEM_ERROR;
    stream->next_out = output->bytes.items + output->bytes.count;
    stream->avail_out = OUTPUT_STEP;
    stream->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
    int code = inflate(stream, Z_NO_FLUSH);
    output->bytes.count += OUTPUT_STEP - stream->avail_out;
    return code;
}

/* Returns zlib's last code: Z_STREAM_END if all streams are complete. */
static int inflate_all(z_stream *stream, struct inflated *output, const unsigned char *end,
                       size_t limit)
{
    int code = Z_OK;
    while (output->bytes.count <= limit) {
        code = inflate_step(stream, output, end);
        if (code == Z_STREAM_END) {
            if (stream->next_in == end)
                return code;
            code = inflateReset(stream);
        }
        if (code != Z_OK) /* Z_BUF_ERROR: the data end within a stream */
            return code;
    }
    return code;
}

enum inflate_result cubex_inflate(const unsigned char *data, size_t size, size_t limit,
                                  unsigned char **result, size_t *result_size)
{
    struct inflated output = {{0}};
    z_stream stream = {.next_in = (unsigned char *)data};
    *result = NULL;
    if (inflateInit2(&stream, ANY_HEADER) != Z_OK)
        return INFLATE_NO_MEMORY;
    int code = inflate_all(&stream, &output, data + size, limit);
    inflateEnd(&stream);
    if (code == Z_STREAM_END && output.bytes.count <= limit) {
        output.bytes.items[output.bytes.count] = '\0';
        *result = output.bytes.items;
        *result_size = output.bytes.count;
        return INFLATE_DONE;
    }
    free(output.bytes.items);
    if (code == Z_MEM_ERROR)
        return INFLATE_NO_MEMORY;
    return output.bytes.count > limit ? INFLATE_TOO_LARGE : INFLATE_DAMAGED;
}

const char *cubex_inflate_text(enum inflate_result result)
{
    return result == INFLATE_TOO_LARGE ? "the compressed data are longer than they can be"
                                       : "the compressed data are damaged or cut off";
}
