#include "results/group.h"

#include "report/format.h"

#include <assert.h>
#include <stdlib.h>

/* Replaces *sum by *sum + factor * severity. */
static enum status add_weighted(struct severity **sum, const struct severity *severity,
                                double factor, struct error *error)
{
    struct severity *next;
    enum status status = severity_sum(*sum, 1, severity, factor, &next, error);
    if (status == STATUS_OK) {
        severity_destroy(*sum);
        *sum = next;
    }
    return status;
}

/* The first run times `factor`. */
static enum status copy_first_run(const struct result_group *group, double factor,
                                  struct severity **sum, struct error *error)
{
    const struct severity *first = group->runs[0].severity;
    return severity_sum(first, factor, first, 0, sum, error);
}

enum status group_mean(const struct result_group *group, struct severity **mean,
                       struct error *error)
{
    assert(group->count >= 1);
    const double factor = 1 / (double)group->count;
    enum status status = copy_first_run(group, factor, mean, error);
    for (size_t i = 1; i < group->count && status == STATUS_OK; i++)
        status = add_weighted(mean, group->runs[i].severity, factor, error);
    if (status != STATUS_OK) {
        severity_destroy(*mean);
        *mean = NULL;
    }
    return status;
}

/* The run without the metrics that `merged` already has. The copy shares everything else with the
 * run; the caller frees its list of rows. */
static bool without_known(const struct severity *merged, const struct severity *run,
                          struct severity *rest)
{
    *rest = *run;
    rest->rows = malloc(run->metric_count * sizeof *rest->rows);
    for (uint32_t i = 0; rest->rows && i < run->metric_count; i++) {
        const struct metric_info *info = &run->metrics[i];
        const enum metric same = severity_metric_find(merged, info->name, metric_info_unit(info));
        rest->rows[i] = same != METRIC_NONE && severity_has(merged, same) ? NULL : run->rows[i];
    }
    if (merged->total_seconds > 0)
        rest->total_seconds = 0;
    return rest->rows != NULL;
}

enum status group_merge(const struct result_group *group, struct severity **merged,
                        struct error *error)
{
    assert(group->count >= 1);
    enum status status = copy_first_run(group, 1, merged, error);
    for (size_t i = 1; i < group->count && status == STATUS_OK; i++) {
        struct severity rest;
        status = without_known(*merged, group->runs[i].severity, &rest)
                     ? add_weighted(merged, &rest, 1, error)
                     : error_memory(error, "the union of results");
        free(rest.rows);
    }
    if (status != STATUS_OK) {
        severity_destroy(*merged);
        *merged = NULL;
    }
    return status;
}

enum status severity_over_ranks(const struct severity *severity, struct severity **sum,
                                struct error *error)
{
    const struct severity_location all = {.host = ""};
    bool added = (*sum = severity_create(severity->paths, severity->path_count, &all, 1)) != NULL;
    for (uint32_t i = 0; added && i < severity->metric_count; i++) {
        enum metric metric = severity_metric_add(*sum, &severity->metrics[i]);
        added = metric != METRIC_NONE;
        for (uint32_t path = 0;
             added && severity_has(severity, (enum metric)i) && path < severity->path_count; path++)
            added = severity_add(*sum, metric, path, 0,
                                 severity_path_total(severity, (enum metric)i, path));
    }
    if (added) {
        (*sum)->total_seconds = severity->total_seconds;
        return STATUS_OK;
    }
    severity_destroy(*sum);
    *sum = NULL;
    return error_memory(error, "sums over the ranks");
}
