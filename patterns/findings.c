#include "patterns/findings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void findings_clear(struct findings *findings)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        free(findings->values[metric]);
        free(findings->shares[metric]);
    }
    memset(findings, 0, sizeof *findings);
}

int64_t *findings_column(struct findings *findings, enum metric metric, uint32_t rank)
{
    assert(metric < METRIC_COUNT && rank <= findings->rank_count);
    if (!findings->values[metric]) {
        size_t count = (size_t)findings->rank_count * findings->path_count;
        findings->values[metric] = calloc(count ? count : 1, sizeof(int64_t));
        if (!findings->values[metric]) {
            findings->out_of_memory = true;
            return NULL;
        }
    }
    return findings->values[metric] + (size_t)rank * findings->path_count;
}

void findings_add(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                  int64_t value)
{
    if (value == 0 || path == CALLPATH_NONE || metric == METRIC_NONE)
        return;
    assert(path < findings->path_count && rank < findings->rank_count);
    int64_t *column = findings_column(findings, metric, rank);
    if (column)
        column[path] += value;
}

void findings_add_share(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                        double value)
{
    if (value == 0 || path == CALLPATH_NONE)
        return;
    assert(metric < METRIC_COUNT && path < findings->path_count && rank < findings->rank_count);
    if (!findings->shares[metric]) {
        size_t count = (size_t)findings->rank_count * findings->path_count;
        findings->shares[metric] = calloc(count ? count : 1, sizeof(double));
        if (!findings->shares[metric]) {
            findings->out_of_memory = true;
            return;
        }
    }
    findings->shares[metric][(size_t)rank * findings->path_count + path] += value;
}

static bool copy_shares(struct severity *severity, const struct findings *findings,
                        const struct trace *trace)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        const double *shares = findings->shares[metric];
        for (uint32_t rank = 0; shares && rank < findings->rank_count; rank++)
            for (uint32_t path = 0; path < findings->path_count; path++, shares++)
                if (*shares != 0 && !severity_add(severity, (enum metric)metric, path, rank,
                                                  trace_seconds(trace, *shares)))
                    return false;
    }
    return true;
}

static bool copy_values(struct severity *severity, const struct findings *findings,
                        const struct trace *trace)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        bool is_time = metric_infos[metric].unit == UNIT_SECONDS;
        const int64_t *values = findings->values[metric];
        for (uint32_t rank = 0; values && rank < findings->rank_count; rank++) {
            for (uint32_t path = 0; path < findings->path_count; path++, values++) {
                double value = (double)*values;
                if (*values != 0 && !severity_add(severity, (enum metric)metric, path, rank,
                                                  is_time ? trace_seconds(trace, value) : value))
                    return false;
            }
        }
    }
    return true;
}

struct severity *findings_to_severity(const struct findings *findings, const struct trace *trace)
{
    const struct definitions *definitions = trace->definitions;
    struct severity *severity = NULL;
    struct severity_path *paths = calloc((size_t)findings->path_count + 1, sizeof *paths);
    struct severity_location *locations =
        calloc((size_t)findings->rank_count + 1, sizeof *locations);
    if (!paths || !locations)
        goto free_names;
    for (uint32_t i = 0; i < findings->path_count; i++) {
        const struct callpath *path = &trace->calltree.paths.items[i];
        const struct region *region = &definitions->regions[path->region];
        paths[i] = (struct severity_path){.parent = path->parent == CALLPATH_NONE ? SEVERITY_NONE
                                                                                  : path->parent,
                                          .name = region->name,
                                          .mpi = region->mpi_call != MPI_CALL_NONE};
    }
    for (uint32_t i = 0; i < findings->rank_count; i++)
        locations[i] = (struct severity_location){
            .rank = trace->first_rank + i, .host = rank_host(definitions, trace->first_rank + i)};
    severity = severity_create(paths, findings->path_count, locations, findings->rank_count);
    if (severity &&
        !(copy_values(severity, findings, trace) && copy_shares(severity, findings, trace))) {
        severity_destroy(severity);
        severity = NULL;
    }
    if (severity)
        severity->total_seconds = trace_seconds(trace, (double)(trace->end - trace->begin));

free_names:
    free(paths);
    free(locations);
    return severity;
}
