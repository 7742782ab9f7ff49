/* Reads tab-separated values: metric, call path, rank.thread, value. Such a file has no hosts, no
 * T, and no units of metrics outside our list. A table of differences has a header and six columns,
 * of which the reader takes the last. */
#include "report/tsv/tsv.h"

#include "severity/path_table.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tsv_value {
    uint32_t metric, path, location;
    double value;
};

struct tsv_reader {
    const char *path; /* of the file */
    size_t line;
    int columns; /* 4; 6 in a table of differences */
    struct path_table paths;
    struct location_table locations;
    ARRAY(struct metric_info) foreign; /* numbered from METRIC_COUNT */
    struct arena *names;
    ARRAY(struct tsv_value) values;
    uint32_t last_path; /* successive lines mostly have the same path */
    const char *last_path_text;
    struct error *error;
};

static enum status bad_line(struct tsv_reader *reader, const char *what)
{
    return error_set(reader->error, STATUS_INPUT, "%s:%zu: %s", reader->path, reader->line, what);
}

static enum status tsv_no_memory(struct tsv_reader *reader)
{
    return error_memory(reader->error, reader->path);
}

/* Removes the next name from an escaped call path and unescapes it; NULL after the last one. */
static char *next_name(char **path)
{
    char *name = *path, *in = name, *out = name;
    if (!name)
        return NULL;
    for (; *in && *in != '/'; in++) {
        if (*in == '\\' && in[1]) {
            in++;
            *out++ = *in == 't' ? '\t' : *in == 'n' ? '\n' : *in;
        } else {
            *out++ = *in;
        }
    }
    *path = *in ? in + 1 : NULL;
    *out = '\0';
    return name;
}

static enum status read_path(struct tsv_reader *reader, const char *text, uint32_t *number)
{
    if (reader->last_path_text && strcmp(reader->last_path_text, text) == 0) {
        *number = reader->last_path;
        return STATUS_OK;
    }
    char *copy = strdup(text), *rest = copy;
    uint32_t path = SEVERITY_NONE;
    bool complete = copy != NULL;
    for (char *name; complete && (name = next_name(&rest)) != NULL;) {
        path =
            path_table_at(&reader->paths,
                          (struct severity_path){
                              .parent = path, .name = name, .mpi = strncmp(name, "MPI_", 4) == 0});
        complete = path != SEVERITY_NONE;
    }
    free(copy);
    reader->last_path = *number = path;
    reader->last_path_text = text;
    return complete ? STATUS_OK : tsv_no_memory(reader);
}

static enum status read_metric_comment(struct tsv_reader *reader, const char *name,
                                       uint32_t *number)
{
    enum metric known = metric_from_name(name);
    *number = known == METRIC_NONE ? METRIC_COUNT : (uint32_t)known;
    if (known != METRIC_NONE)
        return STATUS_OK;
    for (size_t i = 0; i < reader->foreign.count; i++, (*number)++)
        if (strcmp(reader->foreign.items[i].name, name) == 0)
            return STATUS_OK;
    struct metric_info info = {.name = arena_strdup(reader->names, name),
                               .unit = UNIT_OTHER,
                               .unit_name = "",
                               .parent = METRIC_NONE,
                               .description = ""};
    info.title = info.name;
    return info.name && array_push(&reader->foreign, info) ? STATUS_OK : tsv_no_memory(reader);
}

static bool read_unsigned(const char **text, uint32_t *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(*text, &end, 10);
    if (!isdigit((unsigned char)**text) || errno || value > UINT32_MAX)
        return false;
    *text = end;
    *number = (uint32_t)value;
    return true;
}

static enum status read_tsv_location(struct tsv_reader *reader, const char *text, uint32_t *number)
{
    struct severity_location location = {.host = ""};
    if (!read_unsigned(&text, &location.rank) || *text++ != '.' ||
        !read_unsigned(&text, &location.thread) || *text)
        return bad_line(reader, "the third column is not RANK.THREAD");
    *number = location_table_at(&reader->locations, location);
    return *number != SEVERITY_NONE ? STATUS_OK : tsv_no_memory(reader);
}

/* Splits the line into its columns; false unless there are exactly `count`. */
static bool split_fields(char *line, char **columns, int count)
{
    for (int i = 0; i < count; i++) {
        columns[i] = line;
        line += strcspn(line, "\t");
        if ((*line == '\t') != (i < count - 1))
            return false;
        *line++ = '\0';
    }
    return true;
}

static enum status read_tsv_line(struct tsv_reader *reader, char *line)
{
    char *columns[6], *end, *last;
    struct tsv_value value;
    if (reader->line == 1 && strcmp(line, DIFFERENCE_TSV_HEADER) == 0) {
        reader->columns = 6;
        return STATUS_OK;
    }
    if (!split_fields(line, columns, reader->columns))
        return bad_line(reader, reader->columns == 4
                                    ? "not four columns: metric, call path, rank.thread, value"
                                    : "not the six columns that the first line names");
    last = columns[reader->columns - 1];
    if (!*columns[0])
        return bad_line(reader, "the metric has no name");
    value.value = strtod(last, &end);
    if (end == last || *end)
        return bad_line(reader, reader->columns == 4 ? "the fourth column is not a number"
                                                     : "the last column is not a number");
    enum status status = read_metric_comment(reader, columns[0], &value.metric);
    if (status == STATUS_OK)
        status = read_path(reader, columns[1], &value.path);
    if (status == STATUS_OK)
        status = read_tsv_location(reader, columns[2], &value.location);
    if (status == STATUS_OK && !array_push(&reader->values, value))
        status = tsv_no_memory(reader);
    return status;
}

static enum status read_tsv_lines(struct tsv_reader *reader, char *text, const char *end)
{
    enum status status = STATUS_OK;
    for (char *line = text, *next; status == STATUS_OK && line < end; line = next) {
        reader->line++;
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline)
            return bad_line(reader, "the last line is cut off");
        *newline = '\0';
        next = newline + 1;
        if (strlen(line) != (size_t)(newline - line))
            return bad_line(reader, "a byte of 0: not a text file");
        status = read_tsv_line(reader, line);
    }
    return status;
}

static struct severity *create_store_of_lines(const struct tsv_reader *reader)
{
    struct severity *severity = severity_create(
        reader->paths.paths.items, (uint32_t)reader->paths.paths.count,
        reader->locations.locations.items, (uint32_t)reader->locations.locations.count);
    bool complete = severity != NULL;
    for (size_t i = 0; complete && i < reader->foreign.count; i++)
        complete = severity_metric_add(severity, &reader->foreign.items[i]) != METRIC_NONE;
    for (size_t i = 0; complete && i < reader->values.count; i++) {
        const struct tsv_value *value = &reader->values.items[i];
        complete = severity_add(severity, (enum metric)value->metric, value->path, value->location,
                                value->value);
    }
    if (complete)
        return severity;
    severity_destroy(severity);
    return NULL;
}

enum status tsv_read(const struct severity_file *file, struct severity **severity,
                     struct error *error)
{
    assert(file->data[file->size] == 0);
    struct tsv_reader reader = {
        .path = file->path, .columns = 4, .error = error, .names = arena_create()};
    char *text = malloc(file->size + 1); /* lines are split in place */
    enum status status = reader.names && text ? STATUS_OK : tsv_no_memory(&reader);
    if (status == STATUS_OK) {
        memcpy(text, file->data, file->size + 1);
        status = read_tsv_lines(&reader, text, text + file->size);
    }
    if (status == STATUS_OK && !(*severity = create_store_of_lines(&reader)))
        status = tsv_no_memory(&reader);
    if (status == STATUS_OK)
        (*severity)->difference = reader.columns == 6;
    free(text);
    path_table_clear(&reader.paths);
    location_table_clear(&reader.locations);
    free(reader.foreign.items);
    free(reader.values.items);
    arena_destroy(reader.names);
    return status;
}

/* Any text with a tab in its first line. Errors are left to the reader. */
bool tsv_recognises(const struct severity_file *file)
{
    const unsigned char *newline = memchr(file->data, '\n', file->size);
    size_t length = newline ? (size_t)(newline - file->data) : file->size;
    return memchr(file->data, '\t', length) && !memchr(file->data, '\0', length);
}
