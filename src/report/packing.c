#include "report/packing.h"

#include <limits.h>
#include <stdlib.h>
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

/* RFC 4648 */
static void write_base64(const unsigned char *data, size_t size, FILE *stream)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned three = (unsigned)data[i] << 16 |
                               (left > 1 ? (unsigned)data[i + 1] : 0) << 8 |
                               (left > 2 ? (unsigned)data[i + 2] : 0);
        putc(digits[three >> 18], stream);
        putc(digits[three >> 12 & 63], stream);
        putc(left > 1 ? digits[three >> 6 & 63] : '=', stream);
        putc(left > 2 ? digits[three & 63] : '=', stream);
    }
}

bool packing_write(const void *data, size_t size, FILE *stream)
{
    enum { GZIP = 16 }; /* added to the window's bits: zlib's sign for this format */
    z_stream zip = {0};
    unsigned char *packed = NULL;
    bool written = false;
    if (size > UINT_MAX / 2 ||
        deflateInit2(&zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    const uLong most = deflateBound(&zip, (uLong)size);
    packed = malloc(most);
    if (packed) {
        zip.next_in = (unsigned char *)(uintptr_t)data;
        zip.avail_in = (uInt)size;
        zip.next_out = packed;
        zip.avail_out = (uInt)most;
        written = deflate(&zip, Z_FINISH) == Z_STREAM_END;
    }
    deflateEnd(&zip);
    if (written) {
        putc('"', stream);
        write_base64(packed, zip.total_out, stream);
        putc('"', stream);
    }
    free(packed);
    return written && !ferror(stream);
}
