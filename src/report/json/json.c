/* JSON, for scripts: all data of a run, as doc/severity-files.md describes. Rows of values are
 * written one at a time, so that the text is never in memory as a whole. */
#include "base/utf8.h"
#include "report/json/json.h"

#include <math.h>
#include <stdlib.h>

static bool write_member(const char *key, const char *text, FILE *stream)
{
    json_t *string = json_text(text);
    fprintf(stream, "\"%s\": ", key);
    bool written = string && json_dumpf(string, stream, JSON_ENCODE_ANY) == 0;
    json_decref(string);
    return written && fputs(", ", stream) != EOF;
}

static bool write_call_paths(const struct severity *severity, FILE *stream)
{
    bool written = true;
    fputs(" \"call_paths\": [", stream);
    for (uint32_t i = 0; written && i < severity->path_count; i++) {
        const struct severity_path *path = &severity->paths[i];
        fputs(i ? ",\n  {" : "\n  {", stream);
        written = write_member("region", path->name, stream);
        if (path->parent == SEVERITY_NONE)
            fputs("\"caller\": null", stream);
        else
            fprintf(stream, "\"caller\": %u", path->parent);
        fprintf(stream, ", \"mpi\": %s}", path->mpi ? "true" : "false");
    }
    fputs("\n ],\n", stream);
    return written;
}

static bool write_location_list(const struct severity *severity, FILE *stream)
{
    bool written = true;
    fputs(" \"locations\": [", stream);
    for (uint32_t i = 0; written && i < severity->location_count; i++) {
        const struct severity_location *location = &severity->locations[i];
        fputs(i ? ",\n  {" : "\n  {", stream);
        written = write_member("host", location->host, stream);
        fprintf(stream, "\"rank\": %u, \"thread\": %u}", location->rank, location->thread);
    }
    fputs("\n ],\n", stream);
    return written;
}

/* JSON has no infinity; a store should not hold one, either. */
static void write_location_values(const struct severity_row *row, uint32_t location_count,
                                  FILE *stream)
{
    uint32_t next = 0;
    for (uint32_t location = 0; location < location_count; location++) {
        const double value = severity_row_at(row, &next, location);
        fprintf(stream, "%s%.17g", location ? ", " : "", isfinite(value) ? value : 0);
    }
}

static void write_metric_rows_json(const struct severity *severity, uint32_t metric, FILE *stream)
{
    const char *separator = "";
    for (uint32_t path = 0; path < severity->path_count; path++) {
        const struct severity_row row = severity_row(severity, (enum metric)metric, path);
        if (severity_row_is_zero(&row))
            continue;
        fprintf(stream, "%s\n    {\"call_path\": %u, \"values\": [", separator, path);
        write_location_values(&row, severity->location_count, stream);
        fputs("]}", stream);
        separator = ",";
    }
}

static bool write_metric_object(const struct severity *severity, uint32_t metric, FILE *stream)
{
    const struct metric_info *info = &severity->metrics[metric];
    bool written = write_member("name", info->name, stream) &&
                   write_member("unit", metric_info_unit(info), stream) &&
                   write_member("title", info->title, stream) &&
                   write_member("description", info->description, stream);
    if (info->parent == METRIC_NONE)
        fputs("\"parent\": null, ", stream);
    else
        fprintf(stream, "\"parent\": %d, ", (int)info->parent);
    fprintf(stream, "\"merge\": \"%s\",\n   \"rows\": [", metric_merge_names[info->merge]);
    write_metric_rows_json(severity, metric, stream);
    fputs("]}", stream);
    return written;
}

static bool write_pop(const struct pop *pop, FILE *stream)
{
    json_t *object = json_pop(pop);
    fputs(" \"pop\": ", stream);
    bool written = object && json_dumpf(object, stream, JSON_ENCODE_ANY) == 0;
    json_decref(object);
    return written && fputs(",\n", stream) != EOF;
}

static bool write_severity(const struct severity *severity, const struct pop *pop, FILE *stream)
{
    fprintf(stream, "{\"format\": \"%s\", \"version\": %d,\n \"total_seconds\": %.17g,\n",
            SEVERITY_JSON_FORMAT, SEVERITY_JSON_VERSION, severity->total_seconds);
    fprintf(stream, " \"difference\": %s,\n", severity->difference ? "true" : "false");
    bool written = write_call_paths(severity, stream) && write_location_list(severity, stream);
    if (written)
        written = write_pop(pop, stream);
    fputs(" \"metrics\": [", stream);
    for (uint32_t metric = 0; written && metric < severity->metric_count; metric++) {
        fputs(metric ? ",\n  {" : "\n  {", stream);
        written = write_metric_object(severity, metric, stream);
    }
    fputs("\n ]}\n", stream);
    return written && !ferror(stream);
}

/* The difference of two runs is written as a run. */
static bool write_comparison(const struct comparison *comparison, FILE *stream)
{
    struct severity *difference = NULL;
    struct error error;
    bool written = severity_difference(comparison->after, comparison->before, &difference,
                                       &error) == STATUS_OK &&
                   write_severity(difference, NULL, stream);
    severity_destroy(difference);
    return written;
}

static bool write_json_report(const struct report *report, const struct comparison *comparison,
                              FILE *stream)
{
    if (report->replay)
        return json_replay_write(report, stream);
    if (comparison)
        return write_comparison(comparison, stream);
    return write_severity(report->run, report->details ? report->details->pop_after : NULL, stream);
}

extern const struct report_format report_json;
const struct report_format report_json = {
    .name = "json",
    .description = "everything, for scripts (doc/severity-files.md)",
    .wants = REPORT_WANTS_POP,
    .write = write_json_report,
    .replay_files = {"report.json"},
    .recognises = json_recognises,
    .read = json_read,
};
