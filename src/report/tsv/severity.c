/* Tab-separated values: metric, call path, rank.thread, value. 17 significant digits, so that
 * nothing is lost; rows that are zero are left out. */
#include "report/tsv/severity.h"

#include <math.h>
#include <stdlib.h>

#define EXACT 9007199254740992.0 /* 2^53 */

char *severity_tsv_path(const struct severity *severity, uint32_t path)
{
    size_t length = severity_path_format(severity, path, NULL, 0);
    char *text = malloc(2 * length + 1), *plain = text ? text + length : NULL;
    if (!text)
        return NULL;
    severity_path_format(severity, path, plain, length + 1);
    char *out = text; /* at most doubles each character, so it never overtakes `plain` */
    for (; *plain; plain++) {
        if (*plain == '\t' || *plain == '\n') {
            *out++ = '\\';
            *out++ = *plain == '\t' ? 't' : 'n';
        } else {
            *out++ = *plain;
        }
    }
    *out = '\0';
    return text;
}

/* Counts and bytes are whole numbers, which are much easier to print; "%.17g" writes them alike. */
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
    const double *values = severity->values[metric];
    for (uint32_t path = 0; values && path < severity->path_count; path++) {
        for (uint32_t i = 0; i < severity->location_count; i++, values++)
            if (*values != 0 && !write_row(stream, severity->metrics[metric].name, paths[path],
                                           &severity->locations[i], *values))
                return false;
    }
    return true;
}

static bool write_tsv(const struct severity *severity, FILE *stream)
{
    char **paths = calloc((size_t)severity->path_count + 1, sizeof *paths);
    bool written = paths != NULL;
    for (uint32_t i = 0; i < severity->path_count && written; i++) {
        paths[i] = severity_tsv_path(severity, i);
        written = paths[i] != NULL;
    }
    for (uint32_t metric = 0; metric < severity->metric_count && written; metric++)
        written = write_metric(severity, (enum metric)metric, paths, stream);
    for (uint32_t i = 0; paths && i < severity->path_count; i++)
        free(paths[i]);
    free(paths);
    return written;
}

extern const struct severity_format severity_tsv;
const struct severity_format severity_tsv = {
    .name = "tsv",
    .description = "metric, call path, rank.thread, value; a line each",
    .write = write_tsv,
    .recognises = severity_tsv_recognises,
    .read = severity_tsv_read,
};
