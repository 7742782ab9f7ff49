/* Compressed members of a .cubex file. */
#ifndef REPORT_CUBEX_INFLATE_H
#define REPORT_CUBEX_INFLATE_H

#include <stddef.h>

enum inflate_result { INFLATE_DONE, INFLATE_DAMAGED, INFLATE_TOO_LARGE, INFLATE_NO_MEMORY };

/* Inflates all zlib or gzip streams that follow each other at `data`. `*result` has `*result_size`
 * bytes and a 0 after them, at most `limit`; freed by the caller. */
enum inflate_result cubex_inflate(const unsigned char *data, size_t size, size_t limit,
                                  unsigned char **result, size_t *result_size);

/* The message for a result other than INFLATE_DONE. */
const char *cubex_inflate_text(enum inflate_result result);

#endif
