/* Columns of numbers in pages: small numbers take few bytes, which are gzipped and written as a
 * JSON string of base64. A browser reads them by DecompressionStream, without a network. */
#ifndef REPORT_PACKING_H
#define REPORT_PACKING_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Appends a number to a column: seven bits in each byte, lowest first; all bytes but the last have
 * the highest bit (LEB128). False when memory is out. */
bool packing_put(struct bytes *column, uint64_t number);

/* Writes bytes as a JSON string, quotes included. Equal bytes give equal strings. False when memory
 * is out or writing to the stream fails (ferror). */
bool packing_write(const void *data, size_t size, FILE *stream);

#endif
