/* The formats of a sweep's table; table_formats.c lists them. */
#ifndef SWEEP_OUTPUT_FORMATS_H
#define SWEEP_OUTPUT_FORMATS_H

#include "base/json.h"
#include "sweep/table.h"

/* The document that the format json writes, with the first `most` runs, and of the others those on
 * the front; 0: with all. NULL when out of memory. */
json_t *table_json(const struct sweep_table *table, size_t most);

extern const struct table_format text_table, json_table, csv_table, html_table;

#endif
