/* N.index of a .cubex file: which rows of a metric N.data holds. A row is one call path; its key is
 * its number in the metric's own enumeration of them (rows.h).
 *
 *     "CUBEX.INDEX"  u32 1 (tells the byte order)  u16 0 (version)  u8 format
 *     format sparse: u32 n, then n keys (u32) in ascending order; dense: all rows are there
 *
 * packed, without gaps. */
#ifndef REPORT_CUBEX_INDEX_H
#define REPORT_CUBEX_INDEX_H

#include "report/cubex/tar.h"

struct cubex_index {
    bool swapped;   /* the file's byte order is not ours; that of N.data is the same */
    uint32_t count; /* of rows */
    uint32_t *keys; /* freed by cubex_index_clear */
};

/* `row_limit`: number of call paths, which keys must stay below. */
enum status cubex_index_read(const struct cubex_tar *tar, const struct cubex_member *member,
                             uint32_t row_limit, struct cubex_index *index, struct error *error);
void cubex_index_clear(struct cubex_index *index);

/* A sparse index. Check ferror(stream) for errors. */
uint64_t cubex_index_size(uint32_t count);
void cubex_index_write(FILE *stream, const uint32_t *keys, uint32_t count);

#endif
