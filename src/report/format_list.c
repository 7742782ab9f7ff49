/* The report formats. A new one: copy format_template.c. */
#include "report/format.h"

extern const struct report_format report_text, report_json, report_cubex, report_tsv;

/* In the order in which a file is tried. TSV has no mark at its beginning, so it comes last. */
const struct report_format *const report_format_list[] = {
    &report_text, &report_json, &report_cubex, &report_tsv, NULL,
};
