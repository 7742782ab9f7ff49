/* Numbers in pages: columns of small ones take few bytes, and all are deflated (zlib's format) and
 * written as base64. A browser reads them by DecompressionStream, without a network. */
#ifndef REPORT_PACKING_H
#define REPORT_PACKING_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Appends a number to a column: seven bits in each byte, lowest first; all bytes but the last have
 * the highest bit (LEB128). False when memory is out. */
bool packing_put(struct bytes *column, uint64_t number);

/* Zlib's levels: for blocks of megabytes, or for columns whose numbers repeat. */
enum packing_level { PACKING_FAST = 1, PACKING_SMALL = 6 };

/* Write bytes as base64, deflated or as they are. Equal bytes give equal texts. False when memory
 * is out or writing to the stream fails (ferror). */
bool packing_write(const void *data, size_t size, enum packing_level level, FILE *stream);
bool base64_write(const void *data, size_t size, FILE *stream);

#endif
