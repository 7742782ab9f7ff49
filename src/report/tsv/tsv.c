/* Tab-separated values: metric, call path, rank.thread, value. 17 significant digits, so that
 * nothing is lost; rows that are zero are left out. */
#include "report/tsv/tsv.h"

#include "report/tsv/number_text.h"
#include "report/lines.h"

#include <stdlib.h>
#include <string.h>

/* A call path as text, with tabs and line ends in names escaped as "\t" and "\n". NULL when memory
 * is out; free it. */
static char *tsv_path_text(const struct severity *severity, uint32_t path)
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

struct path_column {
    char *text;
    size_t length;
};

/* The state of writing a run. */
struct tsv_lines {
    const struct severity *run;
    struct place_text *places; /* [location] */
    struct path_column *paths; /* [path] */
};

static void close_tsv_lines(void *data)
{
    struct tsv_lines *lines = data;
    for (uint32_t i = 0; lines->paths && i < lines->run->path_count; i++)
        free(lines->paths[i].text);
    free(lines->paths);
    free(lines->places);
    free(lines);
}

static void make_location_texts(struct tsv_lines *lines)
{
    for (uint32_t i = 0; i < lines->run->location_count; i++) {
        const struct severity_location *location = &lines->run->locations[i];
        char *text = lines->places[i].text, *at = text;
        *at++ = '\t';
        at += unsigned_text(location->rank, at);
        *at++ = '.';
        at += unsigned_text(location->thread, at);
        *at++ = '\t';
        lines->places[i].length = (unsigned char)(at - text);
    }
}

/* The largest size of a line. */
static size_t longest_line(const struct tsv_lines *lines)
{
    size_t path = 0, name = 0;
    for (uint32_t i = 0; i < lines->run->path_count; i++)
        if (lines->paths[i].length > path)
            path = lines->paths[i].length;
    for (uint32_t i = 0; i < lines->run->metric_count; i++)
        if (strlen(lines->run->metrics[i].name) > name)
            name = strlen(lines->run->metrics[i].name);
    return name + 1 + path + sizeof lines->places->text + NUMBER_TEXT_SIZE + 1;
}

static void *open_tsv_lines(const struct severity *run, size_t *longest)
{
    struct tsv_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return NULL;
    lines->run = run;
    lines->paths = calloc((size_t)run->path_count + 1, sizeof *lines->paths);
    lines->places = malloc(((size_t)run->location_count + 1) * sizeof *lines->places);
    bool complete = lines->paths && lines->places;
    for (uint32_t i = 0; i < run->path_count && complete; i++) {
        char *text = lines->paths[i].text = tsv_path_text(run, i);
        complete = text != NULL;
        lines->paths[i].length = complete ? strlen(text) : 0;
    }
    if (!complete) {
        close_tsv_lines(lines);
        return NULL;
    }
    make_location_texts(lines);
    *longest = longest_line(lines);
    return lines;
}

/* All lines begin with the same text as the first. */
static size_t write_lines(void *data, enum metric metric, uint32_t path, uint32_t *next, char *text,
                          size_t room)
{
    const struct tsv_lines *lines = data;
    const struct severity_row row = severity_row(lines->run, metric, path);
    const struct path_column *path_column = &lines->paths[path];
    const char *name = lines->run->metrics[metric].name;
    const size_t name_length = strlen(name), begin = name_length + 1 + path_column->length;
    const size_t longest = begin + sizeof lines->places->text + NUMBER_TEXT_SIZE + 1;
    char *at = text;
    uint32_t i = *next;
    for (; i < row.count && (size_t)(at - text) + longest <= room; i++) {
        if (row.values[i] == 0)
            continue;
        if (at > text) {
            memcpy(at, text, begin);
        } else {
            memcpy(at, name, name_length);
            at[name_length] = '\t';
            memcpy(at + name_length + 1, path_column->text, path_column->length);
        }
        const struct place_text *place = &lines->places[severity_row_location(&row, i)];
        memcpy(at + begin, place->text, sizeof place->text); /* a fixed size is faster */
        at += begin + place->length;
        at += number_text(row.values[i], at);
        *at++ = '\n';
    }
    *next = i;
    return (size_t)(at - text);
}

static const struct line_format line_format = {
    .open = open_tsv_lines, .write = write_lines, .close = close_tsv_lines};

static bool write_tsv(const struct severity *severity, FILE *stream)
{
    return lines_write(&line_format, severity, stream);
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
        if (!text && !(text = tsv_path_text(names, path)))
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
    .write_run = write_tsv,
    .lines = &line_format,
    .write_replay = write_replay,
    .replay_files = {"difference.tsv"},
    .recognises = tsv_recognises,
    .read = tsv_read,
};
