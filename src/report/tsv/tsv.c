/* Tab-separated values: metric, call path, rank.thread, value. 17 significant digits, so that
 * nothing is lost; rows that are zero are left out. */
#include "report/tsv/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* 2^53 */

/* A call path as text, with tabs and line ends in names escaped as "\t" and "\n". NULL when memory
 * is out; free it. */
static char *path_text(const struct severity *severity, uint32_t path)
{
    char *plain = severity_path_text(severity, path);
    char *text = plain ? malloc(2 * strlen(plain) + 1) : NULL, *out = text;
    for (const char *in = plain; text && *in; in++) {
        if (*in == '\t' || *in == '\n') {
            *out++ = '\\';
            *out++ = *in == '\t' ? 't' : 'n';
        } else {
            *out++ = *in;
        }
    }
    if (text)
        *out = '\0';
    free(plain);
    return text;
}

/* Counts and bytes are integers, which are printed much faster; "%.17g" would give the same
 * text. */
static bool write_row(FILE *stream, const char *metric, const char *path,
                      const struct severity_location *location, double value)
{
    if (fputs(metric, stream) < 0 || putc('\t', stream) < 0 || fputs(path, stream) < 0)
        return false;
    if (fabs(value) < EXACT && value == (double)(int64_t)value)
        return fprintf(stream, "\t%u.%u\t%lld\n", location->rank, location->thread,
                       (long long)value) >= 0;
    return fprintf(stream, "\t%u.%u\t%.17g\n", location->rank, location->thread, value) >= 0;
}

static bool write_metric(const struct severity *severity, enum metric metric, char **paths,
                         FILE *stream)
{
    for (uint32_t path = 0; path < severity->path_count; path++) {
        const struct severity_row row = severity_row(severity, metric, path);
        for (uint32_t i = 0; i < row.count; i++)
            if (row.values[i] != 0 &&
                !write_row(stream, severity->metrics[metric].name, paths[path],
                           &severity->locations[severity_row_location(&row, i)], row.values[i]))
                return false;
    }
    return true;
}

static bool write_run(const struct severity *severity, FILE *stream)
{
    char **paths = calloc((size_t)severity->path_count + 1, sizeof *paths);
    bool written = paths != NULL;
    for (uint32_t i = 0; i < severity->path_count && written; i++) {
        paths[i] = path_text(severity, i);
        written = paths[i] != NULL;
    }
    for (uint32_t metric = 0; metric < severity->metric_count && written; metric++)
        written = write_metric(severity, (enum metric)metric, paths, stream);
    for (uint32_t i = 0; paths && i < severity->path_count; i++)
        free(paths[i]);
    free(paths);
    return written;
}

/* One metric in one call path, one line per location. */
static bool write_differences(const struct comparison *comparison, enum metric metric,
                              uint32_t path, FILE *stream)
{
    const struct severity *names = comparison->before;
    char *text = NULL;
    for (uint32_t i = 0; i < names->location_count; i++) {
        double before = severity_get(comparison->before, metric, path, i);
        double after = severity_get(comparison->after, metric, path, i);
        if (before == 0 && after == 0)
            continue;
        if (!text && !(text = path_text(names, path)))
            return false;
        fprintf(stream, "%s\t%s\t%u.%u\t%.17g\t%.17g\t%.17g\n", names->metrics[metric].name, text,
                names->locations[i].rank, names->locations[i].thread, before, after,
                before - after);
    }
    free(text);
    return true;
}

/* Every value that is not zero in both runs. */
static bool write_replay(const struct replay_report *report, FILE *stream)
{
    const struct comparison *comparison = &report->comparison;
    fputs(DIFFERENCE_TSV_HEADER "\n", stream);
    for (uint32_t metric = 0; metric < comparison->before->metric_count; metric++)
        if (severity_has(comparison->before, (enum metric)metric) ||
            severity_has(comparison->after, (enum metric)metric))
            for (uint32_t path = 0; path < comparison->before->path_count; path++)
                if (!write_differences(comparison, (enum metric)metric, path, stream))
                    return false;
    return !ferror(stream);
}

extern const struct report_format report_tsv;
const struct report_format report_tsv = {
    .name = "tsv",
    .description = "metric, call path, rank.thread and value, one line per value",
    .write_run = write_run,
    .write_replay = write_replay,
    .replay_files = {"difference.tsv"},
    .recognises = tsv_recognises,
    .read = tsv_read,
};
