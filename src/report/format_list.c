/* The report formats. A new one starts from src/plugins/format_template.c. */
#include "base/descriptors.h"
#include "report/format.h"

#include <assert.h>
#include <stdlib.h>

extern const struct report_format report_text, report_html, report_json, report_cubex, report_tsv;

/* In the order in which a file is tried. TSV has no mark at its beginning, so it comes last. */
static const struct report_format *const built_in[] = {
    &report_text, &report_html, &report_json, &report_cubex, &report_tsv, NULL,
};

static const struct report_format **extended; /* NULL: no plug-in has added a format */

const struct report_format *const *report_format_list(void)
{
    return extended ? (const struct report_format *const *)extended : built_in;
}

bool report_format_list_add(const struct report_format *format)
{
    assert(format && format->name);
    const struct report_format **longer = descriptors_with(report_format_list(), format, 1);
    if (!longer)
        return false;
    free(extended);
    extended = longer;
    return true;
}
