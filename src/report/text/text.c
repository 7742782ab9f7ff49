/* Text, for people: a run's metrics with their sums over all call paths and ranks and, under each
 * wait state, the call paths where it is longest. */
#include "report/text/parts.h"

#include <stdlib.h>

enum { WORST_PATHS = 3, NAME_WIDTH = 28, VALUE_END = 44 }; /* columns */

static bool is_wait(const struct severity *severity, enum metric metric)
{
    return severity->metrics[metric].unit == UNIT_SECONDS && metric != METRIC_TIME;
}

/* The call path with the largest total that is not among `taken`. SEVERITY_NONE if none is left. */
static uint32_t worst_path(const struct severity *severity, enum metric metric,
                           const uint32_t *taken, int taken_count)
{
    uint32_t worst = SEVERITY_NONE;
    double most = 0;
    for (uint32_t path = 0; path < severity->path_count; path++) {
        double total = severity_path_total(severity, metric, path);
        for (int i = 0; i < taken_count; i++)
            if (taken[i] == path)
                total = 0;
        if (total > most) {
            most = total;
            worst = path;
        }
    }
    return worst;
}

static bool write_worst_paths(const struct severity *severity, enum metric metric, FILE *stream)
{
    uint32_t taken[WORST_PATHS];
    for (int i = 0; i < WORST_PATHS; i++) {
        taken[i] = worst_path(severity, metric, taken, i);
        if (taken[i] == SEVERITY_NONE)
            break;
        char *text = severity_path_text(severity, taken[i]);
        if (!text)
            return false;
        fprintf(stream, "%*.6f s    %s\n", VALUE_END,
                severity_path_total(severity, metric, taken[i]), text);
        free(text);
    }
    return true;
}

static bool write_metric(const struct severity *severity, enum metric metric, double all_time,
                         FILE *stream)
{
    const struct metric_info *info = &severity->metrics[metric];
    double total = severity_total(severity, metric);
    int indent = 2 * metric_depth(severity->metrics, metric);
    if (total == 0)
        return true;
    int used = fprintf(stream, "%*s%-*s ", indent, "", NAME_WIDTH - indent, info->name);
    int width =
        used < VALUE_END ? VALUE_END - used : 1; /* longer names leave less room for the value */
    if (info->unit == UNIT_SECONDS && info->merge == MERGE_SUM)
        fprintf(stream, "%*.6f s  %6.2f %%  %s\n", width, total,
                all_time > 0 ? 100 * total / all_time : 0, info->title);
    else if (info->unit == UNIT_SECONDS)
        fprintf(stream, "%*.6f s  %8s  %s\n", width, total, "", info->title);
    else
        fprintf(stream, info->unit == UNIT_OTHER ? "%*g %-12s%s\n" : "%*.0f %-12s%s\n", width,
                total, info->unit == UNIT_COUNT ? "" : metric_info_unit(info), info->title);
    return !is_wait(severity, metric) || write_worst_paths(severity, metric, stream);
}

static bool write_run(const struct severity *severity, FILE *stream)
{
    double all_time = severity_total(severity, METRIC_TIME);
    bool threads = false;
    for (uint32_t i = 0; i < severity->location_count; i++)
        threads = threads || severity->locations[i].thread != 0;
    fprintf(stream, "%u %s%s", severity->location_count, threads ? "location" : "rank",
            severity->location_count == 1 ? "" : "s");
    if (severity->total_seconds != 0)
        fprintf(stream, ", %.6f s from the first to the last event", severity->total_seconds);
    fputs("\n\n", stream);
    for (uint32_t metric = 0; metric < severity->metric_count; metric++)
        if (!write_metric(severity, (enum metric)metric, all_time, stream))
            return false;
    return !ferror(stream);
}

extern const struct report_format report_text;
const struct report_format report_text = {
    .name = "text",
    .description = "sums over all ranks, and where the longest waits are",
    .write_run = write_run,
    .write_comparison = text_changes_write,
    .write_replay = text_replay_write,
    .replay_files = {"report.txt"},
};
