#include "verify/side.h"

#include "patterns/search.h"
#include "report/format.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "verify/report_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- sums --------------------------------------------------------------------------------------
 */

bool path_is_within(const struct severity *severity, uint32_t path, const char *region)
{
    for (; region && path != SEVERITY_NONE; path = severity->paths[path].parent)
        if (strcmp(severity->paths[path].name, region) == 0)
            return true;
    return !region;
}

double side_region_time(const struct severity *severity, uint32_t ranks, const char *region)
{
    double sum = 0;
    for (uint32_t path = 0; path < severity->path_count; path++)
        if (path_is_within(severity, path, region))
            sum += severity_path_total(severity, METRIC_TIME, path);
    return sum / ranks;
}

double side_start_up(const struct severity *severity, uint32_t ranks)
{
    return side_region_time(severity, ranks, "MPI_Init") +
           side_region_time(severity, ranks, "MPI_Init_thread") +
           side_region_time(severity, ranks, "MPI_Finalize") -
           severity_total(severity, METRIC_MPI_FINALIZE_WAIT) / ranks;
}

/* --- reading -----------------------------------------------------------------------------------
 */

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0;
}

enum side_kind { SIDE_REPORT, SIDE_TRACE, SIDE_SEVERITIES };

/* Writes the file to read into `file`, which has room for PATH_MAX bytes. */
static enum side_kind kind_of(const char *path, char *file)
{
    struct stat about;
    snprintf(file, PATH_MAX, "%s/report.json", path);
    if (stat(file, &about) == 0)
        return SIDE_REPORT;
    snprintf(file, PATH_MAX, "%s", path);
    if (ends_with(path, "/report.json") || strcmp(path, "report.json") == 0)
        return SIDE_REPORT;
    if (ends_with(path, ".otf2") || ends_with(path, ".loops") ||
        (stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return SIDE_TRACE;
    return SIDE_SEVERITIES;
}

static enum status search_trace(const char *path, struct processes *processes, struct side *side,
                                struct error *error)
{
    struct trace *trace = NULL;
    struct severity *local = NULL;
    enum status status = trace_load(path, processes, &trace, error);
    if (status == STATUS_OK)
        status = trace_match(trace, error);
    if (status == STATUS_OK)
        status = pattern_search(trace, &local, error);
    if (status == STATUS_OK)
        status = severity_gather(local, processes, &side->severity, error);
    if (status == STATUS_OK) {
        side->time_s = trace_seconds(trace, (double)(trace->end - trace->begin));
        side->ranks = trace->definitions->rank_count;
    }
    severity_destroy(local);
    trace_destroy(trace);
    return status;
}

/* Threads of a rank do not count. */
static uint32_t rank_count_of(const struct severity *severity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < severity->location_count; i++)
        count += severity->locations[i].thread == 0;
    return count ? count : 1;
}

static enum status read_severities(const char *path, struct side *side, struct error *error)
{
    enum status status = report_read(path, &side->severity, error);
    if (status != STATUS_OK)
        return status;
    side->ranks = rank_count_of(side->severity);
    side->time_s = side->severity->total_seconds;
    if (side->time_s <= 0) /* not every tool stores it */
        side->time_s = severity_total(side->severity, METRIC_TIME) / side->ranks;
    if (side->time_s > 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s has no times to compare", path);
}

enum status side_open(const char *path, struct processes *processes, struct side *side,
                      struct error *error)
{
    char file[PATH_MAX];
    enum status status = STATUS_OK;
    *side = (struct side){.path = strdup(path)};
    status = processes_agree_memory(processes, side->path != NULL, path, error);
    if (status != STATUS_OK)
        return status;
    const enum side_kind kind = kind_of(path, file);
    if (kind == SIDE_TRACE)
        return search_trace(path, processes, side, error);
    if (processes->rank == 0)
        status = kind == SIDE_REPORT ? report_json_read(file, side, error)
                                     : read_severities(path, side, error);
    return processes_agree(processes, status, error);
}

void side_clear(struct side *side)
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
    free(side->path);
    *side = (struct side){0};
}
