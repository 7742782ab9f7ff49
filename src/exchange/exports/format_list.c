/* The formats of silas-export. A new one: copy format_template.c. */
#include "exchange/exports/format.h"

extern const struct export_format export_goal, export_simgrid, export_perfetto, export_csv,
    export_folded;

const struct export_format *const export_format_list[] = {
    &export_goal, &export_simgrid, &export_perfetto, &export_csv, &export_folded, NULL};
