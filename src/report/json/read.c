#include "report/json/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct json_reader {
    const char *path; /* of the file */
    struct error *error;
    struct severity *severity;
    enum metric *numbers; /* of the file's metrics in the store */
};

static enum status bad_entry(const struct json_reader *reader, const char *list, size_t index,
                             const char *what)
{
    return error_set(reader->error, STATUS_INPUT, "%s: %s %zu: %s", reader->path, list, index,
                     what);
}

/* The number of a parent, which comes before its child; `none` for null. */
static bool parent_number(const json_t *parent, size_t own, uint32_t none, uint32_t *number)
{
    *number = none;
    if (json_is_null(parent))
        return true;
    json_int_t value = json_is_integer(parent) ? json_integer_value(parent) : -1;
    if (value < 0 || (uint64_t)value >= own)
        return false;
    *number = (uint32_t)value;
    return true;
}

static enum status read_paths(struct json_reader *reader, json_t *list, struct severity_path *paths)
{
    size_t i;
    json_t *item, *caller;
    json_error_t detail;
    json_array_foreach(list, i, item)
    {
        int mpi;
        if (json_unpack_ex(item, &detail, 0, "{s:s, s:o, s:b}", "region", &paths[i].name, "caller",
                           &caller, "mpi", &mpi) != 0)
            return bad_entry(reader, "call path", i, detail.text);
        paths[i].mpi = mpi;
        if (!parent_number(caller, i, SEVERITY_NONE, &paths[i].parent))
            return bad_entry(reader, "call path", i, "its caller does not come before it");
    }
    return STATUS_OK;
}

static enum status read_locations(struct json_reader *reader, json_t *list,
                                  struct severity_location *locations)
{
    size_t i;
    json_t *item;
    json_error_t detail;
    json_array_foreach(list, i, item)
    {
        json_int_t rank, thread;
        if (json_unpack_ex(item, &detail, 0, "{s:s, s:I, s:I}", "host", &locations[i].host, "rank",
                           &rank, "thread", &thread) != 0)
            return bad_entry(reader, "location", i, detail.text);
        if (rank < 0 || rank > INT32_MAX || thread < 0 || thread > INT32_MAX)
            return bad_entry(reader, "location", i, "rank or thread is out of range");
        locations[i].rank = (uint32_t)rank;
        locations[i].thread = (uint32_t)thread;
    }
    return STATUS_OK;
}

static enum status create_store_of_lists(struct json_reader *reader, json_t *path_list,
                                         json_t *location_list)
{
    size_t path_count = json_array_size(path_list), location_count = json_array_size(location_list);
    struct severity_path *paths = calloc(path_count + 1, sizeof *paths);
    struct severity_location *locations = calloc(location_count + 1, sizeof *locations);
    enum status status = paths && locations ? STATUS_OK : error_memory(reader->error, reader->path);
    if (status == STATUS_OK)
        status = read_paths(reader, path_list, paths);
    if (status == STATUS_OK)
        status = read_locations(reader, location_list, locations);
    if (status == STATUS_OK) {
        reader->severity =
            severity_create(paths, (uint32_t)path_count, locations, (uint32_t)location_count);
        if (!reader->severity)
            status = error_memory(reader->error, reader->path);
    }
    free(paths);
    free(locations);
    return status;
}

static enum status read_metric_row(struct json_reader *reader, size_t index, json_t *row)
{
    uint32_t width = reader->severity->location_count;
    json_int_t path;
    json_t *values;
    json_error_t detail;
    if (json_unpack_ex(row, &detail, 0, "{s:I, s:o}", "call_path", &path, "values", &values) != 0)
        return bad_entry(reader, "metric", index, detail.text);
    if (path < 0 || path >= reader->severity->path_count)
        return bad_entry(reader, "metric", index, "a row of a call path that does not exist");
    if (!json_is_array(values) || json_array_size(values) != width)
        return bad_entry(reader, "metric", index,
                         "a row does not have one value for each location");
    for (uint32_t location = 0; location < width; location++) {
        json_t *value = json_array_get(values, location);
        if (!json_is_number(value))
            return bad_entry(reader, "metric", index, "a value is not a number");
        if (json_number_value(value) != 0 &&
            !severity_add(reader->severity, reader->numbers[index], (uint32_t)path, location,
                          json_number_value(value)))
            return error_memory(reader->error, reader->path);
    }
    return STATUS_OK;
}

static bool merge_from_name(const char *name, enum metric_merge *merge)
{
    for (int i = 0; i < METRIC_MERGES; i++)
        if (strcmp(metric_merge_names[i], name) == 0) {
            *merge = (enum metric_merge)i;
            return true;
        }
    return false;
}

static enum status read_metric_object(struct json_reader *reader, size_t index, json_t *item)
{
    struct metric_info info = {0};
    const char *merge;
    json_t *parent, *rows, *row;
    json_error_t detail;
    uint32_t parent_index;
    size_t i;
    if (json_unpack_ex(item, &detail, 0, "{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "name", &info.name,
                       "unit", &info.unit_name, "title", &info.title, "description",
                       &info.description, "merge", &merge, "parent", &parent, "rows", &rows) != 0)
        return bad_entry(reader, "metric", index, detail.text);
    if (!parent_number(parent, index, SEVERITY_NONE, &parent_index))
        return bad_entry(reader, "metric", index, "its parent does not come before it");
    if (!merge_from_name(merge, &info.merge))
        return bad_entry(reader, "metric", index, "\"merge\" is none of sum, min, max");
    if (!json_is_array(rows))
        return bad_entry(reader, "metric", index, "\"rows\" is not an array");
    info.unit = metric_unit_from_name(info.unit_name);
    info.parent = parent_index == SEVERITY_NONE ? METRIC_NONE : reader->numbers[parent_index];
    reader->numbers[index] = severity_metric_add(reader->severity, &info);
    if (reader->numbers[index] == METRIC_NONE)
        return error_memory(reader->error, reader->path);
    enum status status = STATUS_OK;
    json_array_foreach(rows, i, row)
    {
        status = read_metric_row(reader, index, row);
        if (status != STATUS_OK)
            break;
    }
    return status;
}

static enum status read_metric_list(struct json_reader *reader, json_t *list)
{
    enum status status = STATUS_OK;
    reader->numbers = malloc((json_array_size(list) + 1) * sizeof *reader->numbers);
    if (!reader->numbers)
        return error_memory(reader->error, reader->path);
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(list); i++)
        status = read_metric_object(reader, i, json_array_get(list, i));
    return status;
}

static enum status read_document(struct json_reader *reader, json_t *root)
{
    const char *format;
    int version, difference = false;
    double total_seconds;
    json_t *paths, *locations, *metrics;
    json_error_t detail;
    if (json_unpack(root, "{s:s, s:i}", "format", &format, "version", &version) != 0 ||
        strcmp(format, SEVERITY_JSON_FORMAT) != 0)
        return error_set(reader->error, STATUS_INPUT, "%s: JSON, but not a severity file",
                         reader->path);
    if (version != SEVERITY_JSON_VERSION)
        return error_set(reader->error, STATUS_INPUT,
                         "%s: version %d of the format; this program reads version %d",
                         reader->path, version, SEVERITY_JSON_VERSION);
    if (json_unpack_ex(root, &detail, 0, "{s:F, s?b, s:o, s:o, s:o}", "total_seconds",
                       &total_seconds, "difference", &difference, "call_paths", &paths, "locations",
                       &locations, "metrics", &metrics) != 0)
        return error_set(reader->error, STATUS_INPUT, "%s: %s", reader->path, detail.text);
    if (!json_is_array(paths) || !json_is_array(locations) || !json_is_array(metrics))
        return error_set(reader->error, STATUS_INPUT,
                         "%s: call_paths, locations and metrics must be arrays", reader->path);
    enum status status = create_store_of_lists(reader, paths, locations);
    if (status == STATUS_OK) {
        reader->severity->total_seconds = total_seconds;
        reader->severity->difference = difference;
        status = read_metric_list(reader, metrics);
    }
    return status;
}

bool json_recognises(const struct severity_file *file)
{
    assert(file->data[file->size] == 0);
    const char *text = (const char *)file->data;
    return text[strspn(text, " \t\r\n")] == '{';
}

enum status json_read(const struct severity_file *file, struct severity **severity,
                      struct error *error)
{
    struct json_reader reader = {.path = file->path, .error = error};
    json_error_t detail;
    json_t *root = json_loadb((const char *)file->data, file->size, 0, &detail);
    if (!root)
        return error_set(error, STATUS_INPUT, "%s:%d: %s", file->path, detail.line, detail.text);
    enum status status = read_document(&reader, root);
    if (status == STATUS_OK)
        *severity = reader.severity;
    else
        severity_destroy(reader.severity);
    free(reader.numbers);
    json_decref(root);
    return status;
}
