/* Numbers in pages: columns of small integers with variable length, compressed in zlib's format and
 * written as base64. Browsers unpack them by DecompressionStream. */
#ifndef REPORT_PACKING_H
#define REPORT_PACKING_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Appends a number to a column as LEB128: seven bits per byte, lowest first; the highest bit is set
 * in all bytes except the last. False when memory is out. */
bool packing_put(struct bytes *column, uint64_t number);

/* Compression levels of zlib: PACKING_FAST for blocks of megabytes, PACKING_SMALL for columns whose
 * numbers repeat. */
enum packing_level { PACKING_FAST = 1, PACKING_SMALL = 6 };

/* Write bytes as base64, compressed or as they are. Equal bytes give equal texts. False when memory
 * is out or writing to the stream fails (ferror). */
bool packing_write(const void *data, size_t size, enum packing_level level, FILE *stream);
bool base64_write(const void *data, size_t size, FILE *stream);

#endif
