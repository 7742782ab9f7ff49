/* The formats of a sweep's table; table_formats.c lists them. */
#ifndef SWEEP_OUTPUT_FORMATS_H
#define SWEEP_OUTPUT_FORMATS_H

#include "sweep/table.h"

extern const struct table_format text_table, json_table, csv_table, html_table;

#endif
