/* N.data of a .cubex file: the values of metric N, "CUBEX.DATA" and then the rows of N.index, each
 * with one value per location in the order of their ids.
 *
 * Or compressed: "ZCUBEX.DATA", u64 n, a table of n entries of three u64 (the begin of a piece of
 * the rows, the begin of its compressed form, the size of that), then the pieces one after the
 * other as zlib streams. */
#ifndef REPORT_CUBEX_DATA_H
#define REPORT_CUBEX_DATA_H

#include "report/cubex/index.h"
#include "report/cubex/type.h"

/* Reads the values as doubles, [row * location_count + location]; the caller frees them. */
enum status cubex_data_read(const struct cubex_tar *tar, const struct cubex_member *member,
                            const struct cubex_index *index, const struct cubex_type *type,
                            uint32_t location_count, double **values, struct error *error);

/* The head of uncompressed data, before rows of doubles or 64-bit integers. */
uint64_t cubex_data_size(uint32_t row_count, uint32_t location_count);
void cubex_data_write_head(FILE *stream);

#endif
