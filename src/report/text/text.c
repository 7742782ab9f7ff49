/* Text that people read: a run (run.c), a replay (replay.c), or the differences of two runs, metric
 * by metric. */
#include "report/text/text_private.h"

#include <math.h>
#include <stdlib.h>

enum { WORST_PATHS = 3 };

/* Smaller differences are ignored: sums in another order and times rounded to clock ticks differ by
 * that much. */
static const double same_part = 1e-6, same_seconds = 1e-9;

static bool is_same_value(const struct metric_info *info, double a, double b)
{
    double difference = fabs(b - a);
    return difference <= same_part * fmax(fabs(a), fabs(b)) ||
           (info->unit == UNIT_SECONDS && difference <= same_seconds);
}

static void write_metric_number(const struct metric_info *info, double value, bool sign,
                                FILE *stream)
{
    if (info->unit == UNIT_SECONDS)
        fprintf(stream, sign ? " %+16.6f" : " %16.6f", value);
    else
        fprintf(stream, sign ? " %+16.10g" : " %16.10g", value);
}

static void write_numbers(const struct metric_info *info, const struct metric_change *change,
                          FILE *stream)
{
    write_metric_number(info, change->before, false, stream);
    write_metric_number(info, change->after, false, stream);
    if (is_same_value(info, change->before, change->after)) {
        fprintf(stream, " %16s %10s", "=", "");
        return;
    }
    write_metric_number(info, change->after - change->before, true, stream);
    if (change->before > 0)
        fprintf(stream, " %+8.2f %%", 100 * (change->after / change->before - 1));
    else
        fprintf(stream, " %10s", "");
}

static bool write_changed_path(const struct comparison *comparison,
                               const struct metric_change *change, FILE *stream)
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
static bool write_paths_of_change(const struct comparison *comparison, enum metric metric,
                                  FILE *stream)
{
    struct metric_change changes[WORST_PATHS];
    size_t count = comparison_rank(comparison, metric, 0, same_seconds, changes, WORST_PATHS);
    const struct metric_info *info = &comparison->before->metrics[metric];
    for (size_t i = 0; i < count; i++)
        if (!is_same_value(info, changes[i].before, changes[i].after) &&
            !write_changed_path(comparison, &changes[i], stream))
            return false;
    return true;
}

static bool write_change(const struct comparison *comparison, enum metric metric, FILE *stream)
{
    const struct metric_info *info = &comparison->before->metrics[metric];
    struct metric_change total = comparison_total(comparison, metric);
    if (!severity_has(comparison->before, metric) && !severity_has(comparison->after, metric))
        return true;
    fprintf(stream, "%-30s", info->name);
    write_numbers(info, &total, stream);
    fprintf(stream, " %s\n", metric_info_unit(info));
    return write_paths_of_change(comparison, metric, stream);
}

/* Counts the values that are not 0 in both runs, and those of them that differ. */
static void count_values(const struct comparison *comparison, size_t *values, size_t *different)
{
    const struct severity *before = comparison->before, *after = comparison->after;
    *values = *different = 0;
    for (uint32_t metric = 0; metric < before->metric_count; metric++)
        for (uint32_t path = 0; path < before->path_count; path++)
            for (uint32_t i = 0; i < before->location_count; i++) {
                double a = severity_get(before, (enum metric)metric, path, i),
                       b = severity_get(after, (enum metric)metric, path, i);
                *values += a != 0 || b != 0;
                *different += !is_same_value(&before->metrics[metric], a, b);
            }
}

static bool write_changes(const struct comparison *comparison, FILE *stream)
{
    size_t values, different;
    fprintf(stream, "%-30s %16s %16s %16s %10s\n", "metric", "A", "B", "B - A", "of A");
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

/* Sums over all ranks. A profile would be wrong: differences are not times that a rank spent. */
static bool write_difference_table(const struct severity *severity, FILE *stream)
{
    enum metric order[severity->metric_count];
    severity_metric_order(severity, order);
    fprintf(stream, "Differences of two runs, summed over %u locations: changes, not times.\n\n",
            severity->location_count);
    for (uint32_t i = 0; i < severity->metric_count; i++) {
        const struct metric_info *info = &severity->metrics[order[i]];
        const double total = severity_total(severity, order[i]);
        const int indent = 2 * metric_depth(severity->metrics, order[i]);
        if (severity_has(severity, order[i]))
            fprintf(stream,
                    info->unit == UNIT_SECONDS ? "%*s%-*s %+14.6f %s\n" : "%*s%-*s %+14g %s\n",
                    indent, "", 36 - indent, info->name, total, metric_info_unit(info));
    }
    return !ferror(stream);
}

static bool write_text_report(const struct report *report, const struct comparison *comparison,
                              FILE *stream)
{
    if (report->replay)
        return text_replay_write(report, stream);
    if (comparison)
        return write_changes(comparison, stream);
    if (report->run->difference)
        return write_difference_table(report->run, stream);
    return text_run_write(report->run, report->details ? report->details->pop_after : NULL, stream);
}

extern const struct report_format report_text;
const struct report_format report_text = {
    .name = "text",
    .description = "profile, efficiencies, waits and critical path",
    .wants = REPORT_WANTS_POP,
    .write = write_text_report,
    .replay_files = {"report.txt"},
};
