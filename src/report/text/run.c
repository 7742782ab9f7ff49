/* The text of one run: profile, waiting and its causes, critical path, and counts. Each part states
 * whether its figures are sums or means over the ranks. */
#include "report/text/text_private.h"

#include "base/plural.h"
#include "base/units.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORST_PATHS = 3,
    CRITICAL_PATHS = 8,
    NAME_WIDTH = 26,
    PATH_INDENT = 8,
    VALUE_WIDTH = 9,
    DIGITS = 4
};

/* A wait with at least this share of all time is highlighted. */
static const double large_part = 0.05;
/* Smaller shares of T are not mentioned. */
static const double visible_part = 0.0005;

/* A run with the totals of its metrics. */
struct run_text {
    struct text_output out;
    const struct severity *run;
    const double *totals; /* [metric] */
};

/* The parts in which metrics are shown. */
enum section { SECTION_TIME, SECTION_CAUSES, SECTION_CRITICAL, SECTION_OTHERS, SECTION_COUNT };

const char *text_location_word(const struct severity *run)
{
    for (uint32_t i = 0; i < run->location_count; i++)
        if (run->locations[i].thread != 0)
            return "location";
    return "rank";
}

static enum metric root_of(const struct severity *run, enum metric metric)
{
    while (run->metrics[metric].parent != METRIC_NONE)
        metric = run->metrics[metric].parent;
    return metric;
}

static enum section section_of(const struct severity *run, enum metric metric)
{
    const enum metric root = root_of(run, metric);
    if (root == METRIC_TIME)
        return SECTION_TIME;
    if (root >= METRIC_CRITICAL_PATH && root <= METRIC_NON_CRITICAL_PATH_ACTIVITIES)
        return SECTION_CRITICAL;
    return run->metrics[root].unit == UNIT_SECONDS && run->metrics[root].merge == MERGE_SUM
               ? SECTION_CAUSES
               : SECTION_OTHERS;
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

/* Writes a time and its share, "12.35 us 3.4 %", with `width` columns for the number. Returns the
 * number of columns. */
static int write_seconds(FILE *file, int width, double seconds, double whole)
{
    const struct time_format format = time_format_for(seconds, DIGITS);
    int used = fprintf(file, "%*s %-2s", width, time_text(&format, seconds).text, format.unit);
    if (whole > 0)
        used += fprintf(file, " %6.1f %%", 100 * seconds / whole);
    else
        used += fprintf(file, " %8s", "");
    return used;
}

static bool write_worst_paths(const struct run_text *text, enum metric metric, double whole,
                              int most)
{
    const struct severity *run = text->run;
    uint32_t taken[CRITICAL_PATHS];
    for (int i = 0; i < most; i++) {
        taken[i] = worst_path(run, metric, taken, i);
        if (taken[i] == SEVERITY_NONE)
            break;
        char *path = severity_path_text(run, taken[i]);
        if (!path)
            return false;
        int used = fprintf(text->out.file, "%*s", PATH_INDENT, "");
        used += write_seconds(text->out.file, VALUE_WIDTH,
                              severity_path_total(run, metric, taken[i]), whole);
        used += fprintf(text->out.file, "  ");
        text_end_line(&text->out, used, path);
        free(path);
    }
    return true;
}

static const char *const merged[METRIC_MERGES] = {
    [MERGE_SUM] = "", [MERGE_MIN] = " (the smallest)", [MERGE_MAX] = " (the largest)"};

/* A count or another value, in the same columns. */
static int write_metric_total(FILE *file, int width, const struct metric_info *info, double total)
{
    if (info->unit == UNIT_BYTES)
        return fprintf(file, "%*s %8s", width + 3, byte_text_alone(total, DIGITS).text, "");
    if (info->unit == UNIT_COUNT)
        return fprintf(file, "%*.0f %8s", width + 3, total, "");
    return fprintf(file, "%*g %-8s", width + 3, total, metric_info_unit(info));
}

/* `whole` is 100 %; with 0 no shares are written. */
static bool write_metric_of_run(const struct run_text *text, enum metric metric, double whole,
                                int paths)
{
    const struct metric_info *info = &text->run->metrics[metric];
    const double total = text->totals[metric];
    const int indent = 2 * metric_depth(text->run->metrics, metric);
    const bool alarms = info->unit == UNIT_SECONDS && info->parent == METRIC_TIME && whole > 0 &&
                        total >= large_part * whole;
    FILE *file = text->out.file;
    char title[256];
    int used = fprintf(file, "%*s%-*s ", indent, "", NAME_WIDTH - indent, info->name);
    /* Long names take columns of the value. */
    const int over = used - NAME_WIDTH - 1, width = over < VALUE_WIDTH ? VALUE_WIDTH - over : 0;
    fputs(alarms ? text->out.alarm : "", file);
    used += info->unit == UNIT_SECONDS
                ? write_seconds(file, width, total, info->merge == MERGE_SUM ? whole : 0)
                : write_metric_total(file, width, info, total);
    fputs(alarms ? text->out.plain : "", file);
    used += fprintf(file, "  ");
    snprintf(title, sizeof title, "%s%s", info->title, merged[info->merge]);
    text_end_line(&text->out, used, title);
    return paths == 0 || write_worst_paths(text, metric, whole, paths);
}

static void write_section_heading(const struct run_text *text, enum section section)
{
    const char *word = text_location_word(text->run);
    switch (section) {
    case SECTION_TIME:
        text_heading(&text->out, "Time and waiting: sums over all %ss, shares of all %ss' time",
                     word, word);
        break;
    case SECTION_CAUSES:
        text_heading(&text->out,
                     "Causes and kinds of waits: sums over all %ss, shares of all %ss' time", word,
                     word);
        break;
    case SECTION_CRITICAL:
        text_heading(&text->out,
                     "Critical path: the chain of work that T consists of, on one %s at "
                     "a time",
                     word);
        fprintf(text->out.file,
                "  critical_path: shares of T; others: sums over all %ss, shares of their time\n",
                word);
        break;
    default:
        text_heading(&text->out, "Counts and bytes: sums over all %ss", word);
    }
}

/* The critical path with its shares of T, and the rest of T. */
static bool write_critical_path(const struct run_text *text)
{
    const double length = text->totals[METRIC_CRITICAL_PATH], all = text->run->total_seconds;
    const double whole = all > 0 ? all : length, rest = all - length;
    if (!write_metric_of_run(text, METRIC_CRITICAL_PATH, whole, CRITICAL_PATHS))
        return false;
    if (rest > visible_part * all) {
        int used = fprintf(text->out.file, "%*s", PATH_INDENT, "");
        used += write_seconds(text->out.file, VALUE_WIDTH, rest, whole);
        used += fprintf(text->out.file, "  ");
        text_end_line(&text->out, used, "(not on it: start, end, transfers)");
    }
    return true;
}

static bool write_metric_section(const struct run_text *text, enum section section,
                                 const enum metric *order)
{
    const double whole = section == SECTION_OTHERS ? 0 : text->totals[METRIC_TIME];
    bool written = true, headed = false;
    for (uint32_t i = 0; i < text->run->metric_count && written; i++) {
        const enum metric metric = order[i];
        if (text->totals[metric] == 0 || section_of(text->run, metric) != section)
            continue;
        if (!headed)
            write_section_heading(text, section);
        headed = true;
        if (metric == METRIC_CRITICAL_PATH)
            written = write_critical_path(text);
        else
            written = write_metric_of_run(
                text, metric, whole,
                section == SECTION_OTHERS || metric == METRIC_TIME ? 0 : WORST_PATHS);
    }
    return written;
}

bool text_run_write(const struct severity *run, const struct pop *pop, FILE *stream)
{
    assert(run);
    double totals[run->metric_count];
    enum metric order[run->metric_count];
    const struct run_text text = {text_output_of(stream), run, totals};
    for (uint32_t metric = 0; metric < run->metric_count; metric++)
        totals[metric] = severity_total(run, (enum metric)metric);
    fprintf(stream, "%s%u %s%s", text.out.bold, run->location_count, text_location_word(run),
            plural(run->location_count));
    if (run->total_seconds != 0)
        fprintf(stream, ", %s from the first to the last event (T)",
                time_text_alone(run->total_seconds, 6).text);
    fprintf(stream, "%s\n", text.out.plain);
    severity_metric_order(run, order);
    bool written = text_profile_write(&text.out, run);
    if (pop && pop->row_count > 0)
        text_efficiency_write(&text.out, NULL, &pop->rows[0].factors, NULL);
    for (int section = 0; section < SECTION_COUNT && written; section++)
        written = write_metric_section(&text, (enum section)section, order);
    return written && !ferror(stream);
}
