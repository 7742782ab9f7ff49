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

/* "rank.thread" of each location, with tabs around it. */
struct place_text {
    char text[26];
    unsigned char length;
};

/* NULL when memory is out; free it. */
static struct place_text *place_texts(const struct severity *severity)
{
    struct place_text *places = malloc(((size_t)severity->location_count + 1) * sizeof *places);
    for (uint32_t i = 0; places && i < severity->location_count; i++)
        places[i].length =
            (unsigned char)snprintf(places[i].text, sizeof places[i].text, "\t%u.%u\t",
                                    severity->locations[i].rank, severity->locations[i].thread);
    return places;
}

/* Counts and bytes are integers, which are printed much faster; "%.17g" would give the same
 * text. */
static bool write_value(double value, FILE *stream)
{
    if (fabs(value) < EXACT && value == (double)(int64_t)value)
        return fprintf(stream, "%lld\n", (long long)value) >= 0;
    return fprintf(stream, "%.17g\n", value) >= 0;
}

static bool write_metric(const struct severity *severity, enum metric metric, char **paths,
                         const struct place_text *places, FILE *stream)
{
    for (uint32_t path = 0; path < severity->path_count; path++) {
        const struct severity_row row = severity_row(severity, metric, path);
        for (uint32_t i = 0; i < row.count; i++) {
            const struct place_text *place = &places[severity_row_location(&row, i)];
            if (row.values[i] == 0)
                continue;
            if (fputs(severity->metrics[metric].name, stream) < 0 || putc('\t', stream) < 0 ||
                fputs(paths[path], stream) < 0 ||
                fwrite(place->text, 1, place->length, stream) != place->length ||
                !write_value(row.values[i], stream))
                return false;
        }
    }
    return true;
}

static bool write_run(const struct severity *severity, FILE *stream)
{
    char **paths = calloc((size_t)severity->path_count + 1, sizeof *paths);
    struct place_text *places = place_texts(severity);
    bool written = paths && places;
    for (uint32_t i = 0; i < severity->path_count && written; i++) {
        paths[i] = path_text(severity, i);
        written = paths[i] != NULL;
    }
    for (uint32_t metric = 0; metric < severity->metric_count && written; metric++)
        written = write_metric(severity, (enum metric)metric, paths, places, stream);
    for (uint32_t i = 0; paths && i < severity->path_count; i++)
        free(paths[i]);
    free(paths);
    free(places);
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
