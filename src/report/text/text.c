/* Text, for people: a run's metrics with their sums over all call paths and ranks and, under each
 * wait state, the call paths where it is longest; or what differs between two runs, metric by
 * metric. */
#include "report/text/parts.h"

#include <math.h>
#include <stdlib.h>

enum { WORST_PATHS = 3, NAME_WIDTH = 28, VALUE_END = 44 }; /* columns */

/* --- one run ---------------------------------------------------------------------------------- */

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
    enum metric order[severity->metric_count];
    severity_metric_order(severity, order);
    for (uint32_t i = 0; i < severity->metric_count; i++)
        if (!write_metric(severity, order[i], all_time, stream))
            return false;
    return !ferror(stream);
}

/* --- two runs --------------------------------------------------------------------------------- */

/* Values that differ by less are taken as equal: sums in another order differ that much, and so do
 * times rounded to a clock's ticks. */
static const double same_part = 1e-6, same_seconds = 1e-9;

static bool is_same(const struct metric_info *info, double a, double b)
{
    double difference = fabs(b - a);
    return difference <= same_part * fmax(fabs(a), fabs(b)) ||
           (info->unit == UNIT_SECONDS && difference <= same_seconds);
}

static void write_number(const struct metric_info *info, double value, bool sign, FILE *stream)
{
    if (info->unit == UNIT_SECONDS)
        fprintf(stream, sign ? " %+16.6f" : " %16.6f", value);
    else
        fprintf(stream, sign ? " %+16.10g" : " %16.10g", value);
}

static void write_numbers(const struct metric_info *info, const struct change *change, FILE *stream)
{
    write_number(info, change->before, false, stream);
    write_number(info, change->after, false, stream);
    if (is_same(info, change->before, change->after))
        fprintf(stream, " %16s", "=");
    else
        write_number(info, change->after - change->before, true, stream);
}

static bool write_changed_path(const struct comparison *comparison, const struct change *change,
                               FILE *stream)
{
    const struct metric_info *info = &comparison->before->metrics[change->metric];
    char *text = severity_path_text(comparison->before, change->path);
    if (!text)
        return false;
    fprintf(stream, "%-30s", "");
    write_numbers(info, change, stream);
    fprintf(stream, "    %s\n", text);
    free(text);
    return true;
}

/* The call paths that changed most, in either direction. */
static bool write_changed_paths(const struct comparison *comparison, enum metric metric,
                                FILE *stream)
{
    struct change changes[WORST_PATHS];
    size_t count = comparison_rank(comparison, metric, 0, same_seconds, changes, WORST_PATHS);
    const struct metric_info *info = &comparison->before->metrics[metric];
    for (size_t i = 0; i < count; i++)
        if (!is_same(info, changes[i].before, changes[i].after) &&
            !write_changed_path(comparison, &changes[i], stream))
            return false;
    return true;
}

static bool write_change(const struct comparison *comparison, enum metric metric, FILE *stream)
{
    const struct metric_info *info = &comparison->before->metrics[metric];
    struct change total = comparison_total(comparison, metric);
    if (!comparison->before->values[metric] && !comparison->after->values[metric])
        return true;
    fprintf(stream, "%-30s", info->name);
    write_numbers(info, &total, stream);
    fprintf(stream, " %s\n", metric_info_unit(info));
    return write_changed_paths(comparison, metric, stream);
}

/* Counts the values that are not 0 in either run, and those of them that differ. */
static void count_values(const struct comparison *comparison, size_t *values, size_t *different)
{
    size_t cells = (size_t)comparison->before->path_count * comparison->before->location_count;
    *values = *different = 0;
    for (uint32_t metric = 0; metric < comparison->before->metric_count; metric++) {
        const double *before = comparison->before->values[metric];
        const double *after = comparison->after->values[metric];
        for (size_t i = 0; (before || after) && i < cells; i++) {
            double a = before ? before[i] : 0, b = after ? after[i] : 0;
            *values += a != 0 || b != 0;
            *different += !is_same(&comparison->before->metrics[metric], a, b);
        }
    }
}

static bool write_changes(const struct comparison *comparison, FILE *stream)
{
    size_t values, different;
    fprintf(stream, "%-30s %16s %16s %16s\n", "metric", "A", "B", "B - A");
    enum metric order[comparison->before->metric_count];
    severity_metric_order(comparison->before, order);
    for (uint32_t i = 0; i < comparison->before->metric_count; i++)
        if (!write_change(comparison, order[i], stream))
            return false;
    count_values(comparison, &values, &different);
    fprintf(
        stream,
        "\n%zu of %zu values differ by more than %g of their size (times: and by more than 1 ns)\n",
        different, values, same_part);
    return !ferror(stream);
}

extern const struct report_format report_text;
const struct report_format report_text = {
    .name = "text",
    .description = "sums over all ranks, and where the longest waits are",
    .write_run = write_run,
    .write_comparison = write_changes,
    .write_replay = text_replay_write,
    .replay_files = {"report.txt"},
};
