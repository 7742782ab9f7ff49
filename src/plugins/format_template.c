/* A plug-in with a report format. To write one, copy this file, and describe here the format and
 * the programs that read it (doc/plugins.md). This one writes the sum of each metric over all call
 * paths and locations, as lines "name value unit"; sums cannot be read back. */
#include <silas/plugin.h>

/* A run. Of two runs, it gets the difference; of a replay, the runs before and after the change. */
static bool write_metric_sums(const struct severity *run, FILE *stream)
{
    for (uint32_t metric = 0; metric < run->metric_count; metric++) {
        const struct metric_info *info = &run->metrics[metric];
        double total = severity_total(run, (enum metric)metric);
        if (total != 0)
            fprintf(stream, "%s %.17g %s\n", info->name, total, metric_info_unit(info));
    }
    return !ferror(stream);
}

static const struct report_format template_format = {
    .name = "template",
    .description = "the sum of each metric",
    .write_run = write_metric_sums,
    .replay_files = {"before.template", "after.template"},
};

const struct silas_plugin silas_plugin = {
    SILAS_PLUGIN_VERSION,
    .name = "template of a format",
    .formats = (const struct report_format *const[]){&template_format, NULL},
};
