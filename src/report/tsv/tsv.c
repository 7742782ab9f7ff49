/* Tab-separated values: metric, call path, rank.thread, value. 17 significant digits, so that
 * nothing is lost; rows that are zero are left out. */
#include "report/tsv/parts.h"

#include "base/number_text.h"

#include <stdlib.h>
#include <string.h>

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

/* Lines on their way to the stream. */
struct lines {
    FILE *stream;
    char *text; /* room for LINES_BYTES and the longest line */
    size_t length;
};

enum { LINES_BYTES = 64 * 1024 };

static bool flush(struct lines *lines)
{
    const bool written = fwrite(lines->text, 1, lines->length, lines->stream) == lines->length;
    lines->length = 0;
    return written;
}

/* Writes the lines of one metric in one call path. */
static bool write_row(struct lines *lines, const struct severity_row *row, const char *metric,
                      const char *path, const struct place_text *places)
{
    const size_t metric_length = strlen(metric), path_length = strlen(path);
    for (uint32_t i = 0; i < row->count; i++) {
        const struct place_text *place = &places[severity_row_location(row, i)];
        if (row->values[i] == 0)
            continue;
        if (lines->length >= LINES_BYTES && !flush(lines))
            return false;
        char *at = lines->text + lines->length;
        memcpy(at, metric, metric_length);
        at += metric_length;
        *at++ = '\t';
        memcpy(at, path, path_length);
        at += path_length;
        memcpy(at, place->text, place->length);
        at += place->length;
        at += number_text(row->values[i], at);
        *at++ = '\n';
        lines->length = (size_t)(at - lines->text);
    }
    return true;
}

static bool write_metric(const struct severity *severity, enum metric metric, char **paths,
                         const struct place_text *places, struct lines *lines)
{
    for (uint32_t path = 0; path < severity->path_count; path++) {
        const struct severity_row row = severity_row(severity, metric, path);
        if (!write_row(lines, &row, severity->metrics[metric].name, paths[path], places))
            return false;
    }
    return true;
}

static bool write_run(const struct severity *severity, FILE *stream)
{
    char **paths = calloc((size_t)severity->path_count + 1, sizeof *paths);
    struct place_text *places = place_texts(severity);
    bool written = paths && places;
    size_t longest = 0, name = 0; /* call path and name of a metric */
    for (uint32_t i = 0; i < severity->path_count && written; i++) {
        paths[i] = path_text(severity, i);
        written = paths[i] != NULL;
        if (written && strlen(paths[i]) > longest)
            longest = strlen(paths[i]);
    }
    for (uint32_t i = 0; i < severity->metric_count; i++)
        if (strlen(severity->metrics[i].name) > name)
            name = strlen(severity->metrics[i].name);
    struct lines lines = {
        .stream = stream,
        .text = malloc(LINES_BYTES + name + longest + sizeof places->text + NUMBER_TEXT_SIZE + 2)};
    written = written && lines.text;
    for (uint32_t metric = 0; metric < severity->metric_count && written; metric++)
        written = write_metric(severity, (enum metric)metric, paths, places, &lines);
    written = written && flush(&lines);
    for (uint32_t i = 0; paths && i < severity->path_count; i++)
        free(paths[i]);
    free(paths);
    free(places);
    free(lines.text);
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
