#include "results/result.h"

#include "base/names.h"
#include "base/otf2_attributes.h"
#include "patterns/search.h"
#include "replay/untraced.h"
#include "report/format.h"
#include "results/group.h"
#include "results/report_json.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool path_is_within(const struct severity *severity, uint32_t path, const char *region)
{
    for (; region && path != SEVERITY_NONE; path = severity->paths[path].parent)
        if (name_is_of(severity->paths[path].name, region))
            return true;
    return !region;
}

double result_region_time(const struct severity *severity, uint32_t ranks, const char *region)
{
    assert(ranks >= 1 && region);
    double sum = 0;
    for (uint32_t path = 0; path < severity->path_count; path++)
        if (path_is_within(severity, path, region))
            sum += severity_path_total(severity, METRIC_TIME, path);
    return sum / ranks;
}

double result_start_up(const struct severity *severity, uint32_t ranks)
{
    return result_region_time(severity, ranks, "MPI_Init") +
           result_region_time(severity, ranks, "MPI_Init_thread") +
           result_region_time(severity, ranks, "MPI_Finalize") -
           severity_total(severity, METRIC_MPI_FINALIZE_WAIT) / ranks;
}

enum result_kind { RESULT_REPORT, RESULT_TRACE, RESULT_SEVERITIES };

static bool folder_has_file(const char *folder, const char *name, char *file)
{
    struct stat about;
    const int length = snprintf(file, PATH_MAX, "%s/%s", folder, name);
    return length < PATH_MAX && stat(file, &about) == 0;
}

/* Writes the path of the file to read into `file`, which has room for PATH_MAX bytes. The folder of
 * a measurement can have Scalasca's result, a trace and a profile; the first of these is preferred.
 */
static enum result_kind result_kind_of(const char *path, char *file)
{
    struct stat about;
    if (folder_has_file(path, "report.json", file))
        return RESULT_REPORT;
    if (folder_has_file(path, "trace.cubex", file) || folder_has_file(path, "scout.cubex", file))
        return RESULT_SEVERITIES;
    if (!folder_has_file(path, "traces.otf2", file) &&
        (folder_has_file(path, "summary.cubex", file) ||
         folder_has_file(path, "profile.cubex", file)))
        return RESULT_SEVERITIES;
    snprintf(file, PATH_MAX, "%s", path);
    if (name_ends_with(path, "/report.json") || strcmp(path, "report.json") == 0)
        return RESULT_REPORT;
    if (name_ends_with(path, ".otf2") || name_ends_with(path, ".loops") ||
        (stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return RESULT_TRACE;
    return RESULT_SEVERITIES;
}

/* What to read of a trace. */
enum trace_use { USE_SEVERITIES, USE_TRACE, USE_UNTRACED };

/* Replaces the severities and T of a recording by those without the cost of tracing, if its archive
 * states it. */
static enum status remove_tracing(const struct trace *trace, struct result *side, bool *removed,
                                  struct error *error)
{
    struct trace *copy, *untraced;
    double time_s;
    enum status status = untraced_make(trace, &copy, &untraced, &time_s, error);
    *removed = copy != NULL;
    if (status != STATUS_OK || !copy)
        return status;
    status = pattern_search_whole(untraced, &side->severity, error);
    side->time_s = time_s;
    side->untraced = true;
    trace_destroy(untraced);
    trace_destroy(copy);
    return status;
}

static void set_facts_of_trace(const struct trace *trace, struct result *side)
{
    side->time_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    side->ranks = trace->definitions->rank_count;
    side->untraced = definitions_property(trace->definitions, SILAS_PROPERTY_PREDICTED) != NULL;
}

static enum status search_trace(const char *path, enum trace_use use, struct processes *processes,
                                struct result *side, struct error *error)
{
    struct trace *trace = NULL;
    bool removed = false;
    enum status status = trace_load(path, processes, &trace, error) ?: trace_match(trace, error);
    if (status == STATUS_OK) {
        set_facts_of_trace(trace, side);
        if (use == USE_UNTRACED && !side->untraced)
            status = remove_tracing(trace, side, &removed, error);
    }
    if (status == STATUS_OK && !removed)
        status = pattern_search_whole(trace, &side->severity, error);
    if (use == USE_TRACE)
        side->trace = trace;
    else
        trace_destroy(trace);
    return status;
}

/* The number of ranks, without their threads. */
static uint32_t rank_count_of(const struct severity *severity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < severity->location_count; i++)
        count += severity->locations[i].thread == 0;
    return count ? count : 1;
}

static enum status read_severities(const char *path, struct result *side, struct error *error)
{
    enum status status = report_read(path, &side->severity, error);
    if (status != STATUS_OK)
        return status;
    side->ranks = rank_count_of(side->severity);
    side->time_s = side->severity->total_seconds;
    if (side->time_s <= 0) /* not every tool stores it */
        side->time_s = severity_total(side->severity, METRIC_TIME) / side->ranks;
    return STATUS_OK;
}

/* A report has sums over the ranks only. If the replay has also written its severities, they are
 * read instead. */
static enum status read_replay_report(const char *file, struct result *side, struct error *error)
{
    char after[PATH_MAX];
    struct severity *severity;
    enum status status = report_json_read(file, side, error);
    side->summed = true;
    const int folder = (int)(strrchr(file, '/') ? strrchr(file, '/') - file + 1 : 0);
    if (status != STATUS_OK ||
        snprintf(after, sizeof after, "%.*safter.cubex", folder, file) >= (int)sizeof after ||
        access(after, R_OK) != 0)
        return status;
    status = report_read(after, &severity, error);
    if (status == STATUS_OK) {
        severity_destroy(side->severity);
        side->severity = severity;
        side->summed = false;
    }
    return status;
}

static enum status read_by_kind(const char *path, enum trace_use use, struct processes *processes,
                                struct result *side, struct error *error)
{
    char file[PATH_MAX];
    const enum result_kind kind = result_kind_of(path, file);
    if (kind == RESULT_TRACE)
        return search_trace(path, use, processes, side, error);
    enum status status = STATUS_OK;
    if (processes->rank == 0)
        status = kind == RESULT_REPORT ? read_replay_report(file, side, error)
                                       : read_severities(file, side, error);
    return processes_agree(processes, status, error);
}

static enum status open_result(const char *path, enum trace_use use, struct processes *processes,
                               struct result *side, struct error *error)
{
    *side = (struct result){.path = strdup(path)};
    enum status status = processes_agree_memory(processes, side->path != NULL, path, error);
    if (status == STATUS_OK)
        status = read_by_kind(path, use, processes, side, error);
    if (status != STATUS_OK)
        result_clear(side);
    return status;
}

enum status result_open(const char *path, struct processes *processes, struct result *side,
                        struct error *error)
{
    return open_result(path, USE_SEVERITIES, processes, side, error);
}

enum status result_of_trace(const struct trace *trace, struct result *side, struct error *error)
{
    assert(trace->matched);
    *side = (struct result){.path = strdup(trace->path)};
    set_facts_of_trace(trace, side);
    enum status status =
        processes_agree_memory(trace->processes, side->path != NULL, trace->path, error)
            ?: pattern_search_whole(trace, &side->severity, error);
    if (status != STATUS_OK)
        result_clear(side);
    return status;
}

enum status result_open_untraced(const char *path, struct processes *processes, struct result *side,
                                 struct error *error)
{
    return open_result(path, USE_UNTRACED, processes, side, error);
}

/* If one of the runs has sums over the ranks only, sums up all. Process 0 only. */
static enum status sum_alike(struct result *runs, size_t count, struct error *error)
{
    enum status status = STATUS_OK;
    size_t summed = 0;
    for (size_t i = 0; i < count; i++)
        summed += runs[i].summed;
    for (size_t i = 0; i < count && summed > 0 && status == STATUS_OK; i++) {
        struct severity *sum;
        if (runs[i].summed)
            continue;
        status = severity_over_ranks(runs[i].severity, &sum, error);
        if (status != STATUS_OK)
            break;
        severity_destroy(runs[i].severity);
        runs[i].severity = sum;
        runs[i].summed = true;
    }
    return status;
}

enum status results_make_alike(struct result *runs, size_t count, struct processes *processes,
                               struct error *error)
{
    return processes_agree(processes,
                           processes->rank == 0 ? sum_alike(runs, count, error) : STATUS_OK, error);
}

enum status results_open(char **paths, size_t count, bool keep_traces, struct processes *processes,
                         struct result **runs, struct error *error)
{
    assert(count >= 1);
    *runs = calloc(count + 1, sizeof **runs);
    enum status status =
        processes_agree_memory(processes, *runs != NULL, "the runs to compare", error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = open_result(paths[i], keep_traces ? USE_TRACE : USE_SEVERITIES, processes,
                             &(*runs)[i], error);
    if (status == STATUS_OK)
        status = results_make_alike(*runs, count, processes, error);
    if (status != STATUS_OK) {
        results_close(*runs, count);
        *runs = NULL;
    }
    return status;
}

void results_close(struct result *runs, size_t count)
{
    for (size_t i = 0; runs && i < count; i++)
        result_clear(&runs[i]);
    free(runs);
}

void result_clear(struct result *side)
{
    if (side->report) {
        severity_destroy(side->report->before);
        for (size_t i = 0; i < side->report->original_count; i++)
            free(side->report->originals[i]);
        free(side->report->originals);
        free(side->report->reason);
        free(side->report);
    }
    severity_destroy(side->severity);
    trace_destroy(side->trace);
    free(side->path);
    *side = (struct result){0};
}
