/* The profile: call paths by their exclusive time. */
#include "report/text/text_private.h"

#include "base/plural.h"
#include "base/units.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 20, DIGITS = 4 };

/* The times of a call path: exclusive, summed over the locations, and of single locations;
 * inclusive, summed. */
struct profile_row {
    double exclusive, least, most, inclusive;
    uint32_t path;
};

static int most_time_first(const void *a, const void *b)
{
    const struct profile_row *x = a, *y = b;
    if (x->exclusive != y->exclusive)
        return x->exclusive > y->exclusive ? -1 : 1;
    return x->path < y->path ? -1 : 1;
}

/* One row per call path, in their order. NULL when memory is out. */
static struct profile_row *find_profile_rows(const struct severity *run)
{
    struct profile_row *rows = calloc(run->path_count + 1ul, sizeof *rows);
    for (uint32_t path = run->path_count; rows && path-- > 0;) {
        struct profile_row *row = &rows[path];
        row->path = path;
        row->least = INFINITY;
        row->most = -INFINITY;
        const struct severity_row values = severity_row(run, METRIC_TIME, path);
        for (uint32_t i = 0; i < values.count; i++) {
            row->exclusive += values.values[i];
            row->least = fmin(row->least, values.values[i]);
            row->most = fmax(row->most, values.values[i]);
        }
        if (values.count < run->location_count) { /* those of the others are 0 */
            row->least = fmin(row->least, 0);
            row->most = fmax(row->most, 0);
        }
        row->inclusive += row->exclusive;
        if (run->paths[path].parent != SEVERITY_NONE) /* parents come first */
            rows[run->paths[path].parent].inclusive += row->inclusive;
    }
    return rows;
}

static void write_profile_titles(const struct text_output *out, const char *unit)
{
    static const char *const names[] = {"excl", "min", "max", "incl"};
    fprintf(out->file, "  %6s", "share");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char head[32];
        snprintf(head, sizeof head, "%s/%s", names[i], unit);
        fprintf(out->file, " %7s", head);
    }
    fprintf(out->file, " %9s  call path\n", "visits");
}

static bool write_profile_row(const struct text_output *out, const struct severity *run,
                              const struct profile_row *row, const struct time_format *format,
                              double all_time)
{
    char *text = severity_path_text(run, row->path);
    if (!text)
        return false;
    const int used =
        fprintf(out->file, "  %5.1f%% %7s %7s %7s %7s %9.0f  ", 100 * row->exclusive / all_time,
                time_text(format, row->exclusive / run->location_count).text,
                time_text(format, row->least).text, time_text(format, row->most).text,
                time_text(format, row->inclusive / run->location_count).text,
                severity_path_total(run, METRIC_VISITS, row->path));
    text_end_line(out, used, text);
    free(text);
    return true;
}

/* One line about the rows that are not shown. */
static void write_others(const struct text_output *out, const struct profile_row *rows,
                         uint32_t shown, uint32_t count, double all_time)
{
    double others = 0;
    uint32_t left = 0;
    for (uint32_t i = shown; i < count; i++) {
        others += rows[i].exclusive;
        left += rows[i].exclusive > 0;
    }
    if (left > 0)
        fprintf(out->file, "  %5.1f%% in %u other call path%s (all of them: --format tsv)\n",
                100 * others / all_time, left, plural(left));
}

bool text_profile_write(const struct text_output *out, const struct severity *run)
{
    assert(run);
    const double all_time = severity_total(run, METRIC_TIME);
    if (all_time <= 0)
        return true;
    struct profile_row *rows = find_profile_rows(run);
    if (!rows)
        return false;
    double largest = 0;
    for (uint32_t i = 0; i < run->path_count; i++)
        largest = fmax(largest, fmax(rows[i].most, rows[i].inclusive / run->location_count));
    const struct time_format format = time_format_for(largest, DIGITS);
    qsort(rows, run->path_count, sizeof *rows, most_time_first);
    text_heading(out, "Profile");
    fprintf(out->file,
            "  excl, incl: means over %u %s%s; min, max: exclusive, of one %s;\n"
            "  share: of all %ss' time; visits: sum over the %ss\n",
            run->location_count, text_location_word(run), plural(run->location_count),
            text_location_word(run), text_location_word(run), text_location_word(run));
    write_profile_titles(out, format.unit);
    uint32_t shown = 0;
    bool written = true;
    for (; written && shown < run->path_count && shown < ROWS_MAX && rows[shown].exclusive > 0;
         shown++)
        written = write_profile_row(out, run, &rows[shown], &format, all_time);
    write_others(out, rows, shown, run->path_count, all_time);
    free(rows);
    return written;
}
