#include "report/text/text_private.h"

#include "base/units.h"

#include <assert.h>
#include <math.h>

enum { SAVINGS_MAX = 8, WAITS_PER_METRIC = 3, ROWS_MAX = 64, PATH_MAX_LENGTH = 4096 };

/* Changes below this part of T are too small to be shown. */
static const double visible = 0.0005;

/* 100 %: T before the change on every rank. */
static double time_of_all_ranks(const struct replay_report *report)
{
    return report->comparison.before->total_seconds * report->rank_count;
}

/* True if the metric is a kind of waiting and not a special case of another kind. Causes of waiting
 * and the critical path are not parts of the time. */
static bool is_top_wait(const struct severity *severity, enum metric metric)
{
    return severity->metrics[metric].parent == METRIC_TIME;
}

static void write_change_titles(const struct text_output *out, const char *first,
                                const char *second, const char *third, const char *unit,
                                const char *last)
{
    char names[3][32];
    const char *heads[] = {first, second, third};
    for (int i = 0; i < 3; i++)
        snprintf(names[i], sizeof names[i], "%s/%s", heads[i], unit);
    fprintf(out->file, "  %12s %12s %12s %7s  %s\n", names[0], names[1], names[2], "% of T", last);
}

/* Times are means over the ranks; `third` is the value of the third column, summed over the
 * ranks. */
static void write_change_row(const struct text_output *out, const struct replay_report *report,
                             const struct time_format *format, const struct metric_change *change,
                             double third, int indent, const char *what)
{
    char percent[48];
    double ranks = report->rank_count, part = 100 * third / time_of_all_ranks(report);
    snprintf(percent, sizeof percent, "%.1f", fabs(part) < 0.05 ? 0 : part);
    int used = fprintf(out->file, "  %12s %12s %12s %7s  %*s",
                       time_text(format, change->before / ranks).text,
                       time_text(format, change->after / ranks).text,
                       time_text(format, third / ranks).text, percent, indent, "");
    text_end_line(out, used, what);
}

static struct time_format format_for(const struct replay_report *report,
                                     const struct metric_change *changes, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fmax(fabs(changes[i].before), fabs(changes[i].after)));
    return time_format_for(largest / report->rank_count, 5);
}

void text_table_metrics(const struct text_output *out, const struct replay_report *report)
{
    assert(report->comparison.before && report->comparison.after);
    const struct severity *before = report->comparison.before;
    const struct metric_info *infos = before->metrics;
    enum metric order[before->metric_count];
    struct metric_change rows[before->metric_count];
    size_t count = 0;
    severity_metric_order(before, order);
    for (uint32_t i = 0; i < before->metric_count; i++) {
        struct metric_change change = comparison_total(&report->comparison, order[i]);
        if (order[i] == METRIC_CRITICAL_PATH) { /* it is on one rank at a time: no mean */
            change.before *= report->rank_count;
            change.after *= report->rank_count;
        }
        if (infos[order[i]].unit == UNIT_SECONDS &&
            fmax(change.before, change.after) >= visible * time_of_all_ranks(report))
            rows[count++] = change;
    }
    if (count == 0)
        return;
    struct time_format format = format_for(report, rows, count);
    text_heading(out, "Time and waiting, mean of the ranks (critical path: its length)");
    write_change_titles(out, report->identity ? "recorded" : "before",
                        report->identity ? "replayed" : "after",
                        report->identity ? "change" : "saved", format.unit, "metric");
    for (size_t i = 0; i < count; i++)
        write_change_row(out, report, &format, &rows[i],
                         report->identity ? -change_saved(&rows[i]) : change_saved(&rows[i]),
                         2 * metric_depth(infos, rows[i].metric), infos[rows[i].metric].title);
}

/* Rows of call paths, with the metric in front of each if `with_metric`. */
static void write_changed_paths(const struct text_output *out, const struct replay_report *report,
                                const char *heading, const char *third_name, int sign,
                                const struct metric_change *changes, size_t count, bool with_metric)
{
    if (count == 0)
        return;
    const struct severity *before = report->comparison.before;
    struct time_format format = format_for(report, changes, count);
    text_heading(out, "%s", heading);
    write_change_titles(out, report->identity ? "recorded" : "before",
                        report->identity ? "replayed" : "after", third_name, format.unit,
                        with_metric ? "metric: call path" : "call path");
    for (size_t i = 0; i < count; i++) {
        char path[PATH_MAX_LENGTH], what[PATH_MAX_LENGTH + 128];
        severity_path_format(before, changes[i].path, path, sizeof path);
        snprintf(what, sizeof what, "%s%s%s",
                 with_metric ? before->metrics[changes[i].metric].title : "",
                 with_metric ? ": " : "", path);
        write_change_row(out, report, &format, &changes[i], sign * change_saved(&changes[i]), 0,
                         what);
    }
}

void text_table_savings(const struct text_output *out, const struct replay_report *report)
{
    struct metric_change changes[SAVINGS_MAX];
    size_t count = comparison_rank(&report->comparison, METRIC_TIME, +1,
                                   visible * time_of_all_ranks(report), changes, SAVINGS_MAX);
    write_changed_paths(out, report, "Call paths that save most time (exclusive)", "saved", +1,
                        changes, count, false);
}

/* For each kind of waiting, the call paths where it fell (`sign` +1) or grew (-1) most. `changes`
 * has room for ROWS_MAX. Returns their number. */
static size_t rank_waits(const struct replay_report *report, int sign,
                         struct metric_change *changes)
{
    const struct severity *before = report->comparison.before;
    size_t count = 0;
    for (uint32_t metric = 0; metric < before->metric_count && count + WAITS_PER_METRIC <= ROWS_MAX;
         metric++)
        if (is_top_wait(before, (enum metric)metric))
            count += comparison_rank(&report->comparison, (enum metric)metric, sign,
                                     visible * time_of_all_ranks(report), changes + count,
                                     WAITS_PER_METRIC);
    return count;
}

void text_table_waits(const struct text_output *out, const struct replay_report *report)
{
    struct metric_change changes[ROWS_MAX];
    size_t count = rank_waits(report, +1, changes);
    write_changed_paths(out, report, "Waiting that goes away", "saved", +1, changes, count, true);
}

/* True if the growth of one kind of waiting explains most of the growth of the call path's time, so
 * that one line is enough. */
static bool is_explained(const struct metric_change *time, const struct metric_change *waits,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (waits[i].metric != METRIC_TIME && waits[i].path == time->path &&
            change_saved(&waits[i]) < 0.5 * change_saved(time))
            return true;
    return false;
}

void text_table_losses(const struct text_output *out, const struct replay_report *report)
{
    struct metric_change changes[ROWS_MAX], grown[SAVINGS_MAX];
    size_t count = rank_waits(report, -1, changes);
    size_t found = comparison_rank(&report->comparison, METRIC_TIME, -1,
                                   visible * time_of_all_ranks(report), grown, SAVINGS_MAX);
    for (size_t i = 0; i < found && count < ROWS_MAX; i++)
        if (!is_explained(&grown[i], changes, count))
            changes[count++] = grown[i];
    changes_sort(changes, count);
    write_changed_paths(out, report, "Where time and waiting move to", "more", -1, changes,
                        count < SAVINGS_MAX ? count : SAVINGS_MAX, true);
}

void text_table_deviations(const struct text_output *out, const struct replay_report *report)
{
    struct metric_change changes[SAVINGS_MAX];
    size_t count = comparison_rank(&report->comparison, METRIC_TIME, 0,
                                   visible * time_of_all_ranks(report), changes, SAVINGS_MAX);
    write_changed_paths(out, report,
                        "Call paths where replay and recording differ most (exclusive)", "change",
                        -1, changes, count, false);
}
