#include "report/packing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

bool packing_put(struct bytes *column, uint64_t number)
{
    unsigned char text[10];
    size_t size = 0;
    for (; number >= 0x80; number >>= 7)
        text[size++] = (unsigned char)(number | 0x80);
    text[size++] = (unsigned char)number;
    return bytes_put(column, text, size);
}

enum { STEP = 3 << 14, TEXT = STEP / 3 * 4 };

/* Base64 (RFC 4648) of a stream of bytes. The remainder of a group of three is kept until the next
 * bytes. */
struct base64 {
    FILE *stream;
    unsigned char left[3];
    size_t left_count;
    bool written;
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode_base64(const unsigned char *bytes, char *text)
{
    text[0] = digits[bytes[0] >> 2];
    text[1] = digits[(bytes[0] & 3) << 4 | bytes[1] >> 4];
    text[2] = digits[(bytes[1] & 15) << 2 | bytes[2] >> 6];
    text[3] = digits[bytes[2] & 63];
}

static void base64_put(struct base64 *base64, const unsigned char *bytes, size_t size)
{
    char text[TEXT];
    while (size > 0) {
        size_t used = 0;
        while (base64->left_count > 0 && base64->left_count < 3 && size > 0) {
            base64->left[base64->left_count++] = *bytes++;
            size--;
        }
        if (base64->left_count == 3) {
            encode_base64(base64->left, text);
            used = 4;
            base64->left_count = 0;
        }
        if (base64->left_count == 0)
            for (; size >= 3 && used + 4 <= sizeof text; size -= 3, bytes += 3, used += 4)
                encode_base64(bytes, text + used);
        if (base64->left_count == 0 && size < 3)
            for (; size > 0; size--)
                base64->left[base64->left_count++] = *bytes++;
        base64->written = base64->written && fwrite(text, 1, used, base64->stream) == used;
    }
}

static bool base64_end(struct base64 *base64)
{
    char text[4];
    if (base64->left_count == 0)
        return base64->written;
    memset(base64->left + base64->left_count, 0, sizeof base64->left - base64->left_count);
    encode_base64(base64->left, text);
    memset(text + 1 + base64->left_count, '=', 3 - base64->left_count);
    return base64->written && fwrite(text, 1, sizeof text, base64->stream) == sizeof text;
}

bool base64_write(const void *data, size_t size, FILE *stream)
{
    assert(data || size == 0);
    struct base64 base64 = {.stream = stream, .written = true};
    base64_put(&base64, data, size);
    return base64_end(&base64);
}

bool packing_write(const void *data, size_t size, enum packing_level level, FILE *stream)
{
    assert(data || size == 0);
    struct base64 base64 = {.stream = stream, .written = true};
    z_stream packer = {.zalloc = Z_NULL};
    unsigned char *packed = malloc(STEP);
    const unsigned char *bytes = data ? data : (const unsigned char *)"";
    int code = packed ? deflateInit(&packer, (int)level) : Z_MEM_ERROR;
    const bool open = code == Z_OK;
    while (code == Z_OK) {
        if (packer.avail_in == 0) {
            packer.next_in = (Bytef *)bytes;
            packer.avail_in = (uInt)(size < 1 << 30 ? size : 1 << 30);
            bytes += packer.avail_in;
            size -= packer.avail_in;
        }
        packer.next_out = packed;
        packer.avail_out = STEP;
        code = deflate(&packer, size > 0 ? Z_NO_FLUSH : Z_FINISH);
        base64_put(&base64, packed, STEP - packer.avail_out);
    }
    if (open)
        deflateEnd(&packer);
    free(packed);
    return code == Z_STREAM_END && base64_end(&base64);
}
