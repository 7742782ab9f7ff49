/* Where to start a new report format: copy this file into a folder of its own, say what the format
 * is and who reads it, and
 *   1. add it to src/report/format_list.c and to src/report/local.mk,
 *   2. describe it in doc/severity-files.md.
 * It then works in all programs. This one is compiled and tested, but not in the list. It writes
 * the sum of each metric over all call paths and locations, as lines "name value unit"; sums cannot
 * be read back. */
#include "report/format.h"

extern const struct report_format report_template;

static bool write_run(const struct severity *run, FILE *stream)
{
    for (uint32_t metric = 0; metric < run->metric_count; metric++) {
        const struct metric_info *info = &run->metrics[metric];
        double total = severity_total(run, (enum metric)metric);
        if (total != 0)
            fprintf(stream, "%s %.17g %s\n", info->name, total, metric_info_unit(info));
    }
    return !ferror(stream);
}

const struct report_format report_template = {
    .name = "template",
    .description = "the sum of each metric",
    .write_run = write_run,
    .replay_files = {"before.template", "after.template"},
};
