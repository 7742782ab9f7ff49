#include "results/report_json.h"

#include "base/array.h"
#include "base/json.h"
#include "severity/path_table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report_reader {
    const char *file;
    json_t *root;
    struct path_table paths;
    struct error *error;
};

static enum status bad_report(const struct report_reader *reader, const char *what)
{
    return error_set(reader->error, STATUS_INPUT, "%s is not the report of a replay: %s",
                     reader->file, what);
}

static enum status report_no_memory(const struct report_reader *reader)
{
    return error_memory(reader->error, reader->file);
}

/* The value at "predicted.time_s.median"; NULL if there is none. */
static json_t *json_value_at(json_t *value, const char *path)
{
    while (value && *path) {
        char name[64];
        const size_t size = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)size, path);
        value = json_object_get(value, name);
        path += size + (path[size] == '.');
    }
    return value;
}

static double json_number_at(json_t *value, const char *path)
{
    const json_t *number = json_value_at(value, path);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

static struct estimate estimate_at(json_t *root, const char *path)
{
    json_t *value = json_value_at(root, path);
    struct estimate estimate = {.median = json_number_at(value, "median"),
                                .low = json_number_at(value, "low"),
                                .high = json_number_at(value, "high"),
                                .level = json_number_at(value, "level")};
    if (!(estimate.level > 0) || isnan(estimate.low) || isnan(estimate.high)) {
        estimate.level = 0;
        estimate.low = estimate.high = estimate.median;
    }
    return estimate;
}

/* The number of the call path "app/main/MPI_Send". In names, '/' and '\' are preceded by '\'. */
static uint32_t number_of_path(struct path_table *table, const char *text)
{
    uint32_t parent = SEVERITY_NONE;
    char *name = malloc(strlen(text) + 1);
    bool more = name != NULL;
    while (more) {
        size_t used = 0;
        for (; *text && *text != '/'; text++) {
            text += *text == '\\' && text[1];
            name[used++] = *text;
        }
        name[used] = '\0';
        more = *text == '/';
        text += more;
        parent = path_table_at(table, (struct severity_path){.parent = parent,
                                                             .name = name,
                                                             .mpi = strncmp(name, "MPI_", 4) == 0});
        more = more && parent != SEVERITY_NONE;
    }
    free(name);
    return parent;
}

static enum status add_report_paths(struct report_reader *reader, json_t *metrics)
{
    size_t i, j;
    json_t *metric, *item;
    json_array_foreach(metrics, i, metric)
    {
        json_array_foreach(json_object_get(metric, "call_paths"), j, item)
        {
            const char *text = json_text_of(item, "path");
            if (!text)
                return bad_report(reader, "a call path has no name");
            if (number_of_path(&reader->paths, text) == SEVERITY_NONE)
                return report_no_memory(reader);
        }
    }
    return STATUS_OK;
}

/* The number of a metric in the store, which is added if it is missing. */
static enum metric number_of_metric(struct severity *severity, json_t *metric)
{
    const char *name = json_text_of(metric, "name"), *unit = json_text_of(metric, "unit"),
               *parent = json_text_of(metric, "parent");
    enum metric number = severity_metric_find(severity, name, unit);
    if (number != METRIC_NONE)
        return number;
    const struct metric_info info = {
        .name = name,
        .unit = metric_unit_from_name(unit),
        .parent = parent ? severity_metric_find(severity, parent, "") : METRIC_NONE,
        .title = name,
        .description = "",
        .unit_name = metric_unit_from_name(unit) == UNIT_OTHER ? unit : NULL};
    return severity_metric_add(severity, &info);
}

static enum status add_report_values(struct report_reader *reader, json_t *metric,
                                     const char *member, struct severity *severity)
{
    size_t i;
    json_t *item;
    if (!json_is_string(json_object_get(metric, "name")) ||
        !json_is_string(json_object_get(metric, "unit")))
        return bad_report(reader, "a metric has no name or unit");
    const enum metric number = number_of_metric(severity, metric);
    if (number == METRIC_NONE)
        return report_no_memory(reader);
    json_array_foreach(json_object_get(metric, "call_paths"), i, item)
    {
        const char *text = json_text_of(item, "path");
        const double value = json_number_at(item, member);
        const uint32_t path = number_of_path(&reader->paths, text);
        if (path == SEVERITY_NONE)
            return report_no_memory(reader);
        if (isfinite(value) && !severity_add(severity, number, path, 0, value))
            return report_no_memory(reader);
    }
    return STATUS_OK;
}

/* `member`: "before" or "after". */
static enum status read_severity(struct report_reader *reader, json_t *metrics, const char *member,
                                 struct severity **severity)
{
    const struct severity_location sum = {.host = ""};
    size_t i;
    json_t *metric;
    *severity =
        severity_create(reader->paths.paths.items, (uint32_t)reader->paths.paths.count, &sum, 1);
    if (!*severity)
        return report_no_memory(reader);
    enum status status = STATUS_OK;
    json_array_foreach(metrics, i, metric)
    {
        if (status == STATUS_OK)
            status = add_report_values(reader, metric, member, *severity);
    }
    return status;
}

static enum status read_originals(struct report_reader *reader, struct result_report *report)
{
    json_t *recordings = json_value_at(reader->root, "trace.recordings");
    const size_t count = json_array_size(recordings);
    report->originals = calloc(count + 1, sizeof *report->originals);
    if (!report->originals)
        return report_no_memory(reader);
    for (size_t i = 0; i < count; i++) {
        const char *path = json_text_of(json_array_get(recordings, i), "path");
        if (!path)
            return bad_report(reader, "a recording has no path");
        report->originals[i] = strdup(path);
        if (!report->originals[i])
            return report_no_memory(reader);
        report->original_count++;
    }
    return STATUS_OK;
}

static enum status read_figures(struct report_reader *reader, struct result *side)
{
    struct result_report *report = side->report;
    json_t *root = reader->root;
    const double ranks = json_number_at(root, "ranks"),
                 baseline = json_number_at(root, "baseline.time_s.median");
    const json_t *reason = json_object_get(root, "untrustworthy_reason");
    report->predicted = estimate_at(root, "predicted.time_s");
    report->typical = estimate_at(root, "saving.typical");
    report->for_real = estimate_at(root, "saving.for_real");
    report->before_s = baseline > 0 ? baseline : json_number_at(root, "trace.time_s");
    report->trustworthy = json_is_true(json_object_get(root, "trustworthy"));
    if (json_is_string(reason) && !(report->reason = strdup(json_string_value(reason))))
        return report_no_memory(reader);
    if (!(report->predicted.median > 0) || !(report->before_s > 0) || !(ranks >= 1))
        return bad_report(reader, "predicted.time_s, trace.time_s or ranks is missing");
    side->time_s = report->predicted.median;
    side->ranks = (uint32_t)ranks;
    side->untraced = json_is_object(json_object_get(root, "compensation"));
    return STATUS_OK;
}

static enum status read_report_document(struct report_reader *reader, struct result *side)
{
    json_t *metrics = json_object_get(reader->root, "metrics");
    enum status status = read_figures(reader, side);
    if (status == STATUS_OK && !json_is_array(metrics))
        status = bad_report(reader, "it has no metrics");
    if (status == STATUS_OK)
        status = read_originals(reader, side->report);
    if (status == STATUS_OK)
        status = add_report_paths(reader, metrics);
    if (status == STATUS_OK)
        status = read_severity(reader, metrics, "before", &side->report->before);
    if (status == STATUS_OK)
        status = read_severity(reader, metrics, "after", &side->severity);
    return status;
}

enum status report_json_read(const char *file, struct result *side, struct error *error)
{
    assert(!side->severity && !side->report);
    struct report_reader reader = {.file = file, .error = error};
    enum status status = json_read_file(file, "the report of a replay", &reader.root, error);
    if (status != STATUS_OK)
        return status;
    side->report = calloc(1, sizeof *side->report);
    status = side->report ? read_report_document(&reader, side) : report_no_memory(&reader);
    path_table_clear(&reader.paths);
    json_decref(reader.root);
    return status;
}
