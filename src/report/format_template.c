/* Where to start a new format of severity files: copy this file, say what the format is and who
 * reads it, and
 *   1. add it to src/report/format_list.c and to src/report/local.mk,
 *   2. describe it in doc/severity-files.md and in the man pages,
 *   3. add it to the round trips of tests/report/severity-formats.sh.
 * This one is compiled and tested, but not in the list. It writes the sum of each metric over all
 * call paths and locations, as lines "name value unit"; sums cannot be read back. */
#include "report/severity_format.h"

extern const struct severity_format severity_template;

static bool write_sums(const struct severity *severity, FILE *stream)
{
    for (uint32_t metric = 0; metric < severity->metric_count; metric++) {
        const struct metric_info *info = &severity->metrics[metric];
        double total = severity_total(severity, (enum metric)metric);
        if (total != 0)
            fprintf(stream, "%s %.17g %s\n", info->name, total, metric_info_unit(info));
    }
    return !ferror(stream);
}

const struct severity_format severity_template = {
    .name = "template",
    .description = "the sum of each metric",
    .write = write_sums,
};
