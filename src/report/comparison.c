#include "report/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A store with the same metrics, paths and locations, but without values. */
static struct severity *empty_like(const struct severity *severity)
{
    struct severity *empty = severity_create(severity->paths, severity->path_count,
                                             severity->locations, severity->location_count);
    if (empty && severity_metrics_join(empty, severity, NULL))
        return empty;
    severity_destroy(empty);
    return NULL;
}

static void negate(struct severity *severity)
{
    size_t count = (size_t)severity->path_count * severity->location_count;
    for (uint32_t metric = 0; metric < severity->metric_count; metric++)
        for (size_t i = 0; severity->values[metric] && i < count; i++)
            if (severity->values[metric][i] != 0)
                severity->values[metric][i] = -severity->values[metric][i];
}

/* The difference from an empty store is exact, and has the names of both stores with the same
 * numbering. */
enum status comparison_create(const struct severity *before, const struct severity *after,
                              struct comparison *comparison, struct error *error)
{
    *comparison = (struct comparison){NULL, NULL};
    struct severity *no_before = empty_like(before), *no_after = empty_like(after);
    enum status status = STATUS_OK;
    if (!no_before || !no_after)
        status = error_memory(error, "the comparison of two runs");
    if (status == STATUS_OK)
        status = severity_difference(before, no_after, &comparison->before, error);
    if (status == STATUS_OK)
        status = severity_difference(no_before, after, &comparison->after, error);
    severity_destroy(no_before);
    severity_destroy(no_after);
    if (status != STATUS_OK) {
        comparison_destroy(comparison);
        return status;
    }
    negate(comparison->after);
    comparison->before->total_seconds = before->total_seconds;
    comparison->after->total_seconds = after->total_seconds;
    return STATUS_OK;
}

void comparison_destroy(struct comparison *comparison)
{
    severity_destroy(comparison->before);
    severity_destroy(comparison->after);
    *comparison = (struct comparison){NULL, NULL};
}

struct change comparison_change(const struct comparison *comparison, enum metric metric,
                                uint32_t path)
{
    return (struct change){metric, path, severity_path_total(comparison->before, metric, path),
                           severity_path_total(comparison->after, metric, path)};
}

struct change comparison_total(const struct comparison *comparison, enum metric metric)
{
    return (struct change){metric, SEVERITY_NONE, severity_total(comparison->before, metric),
                           severity_total(comparison->after, metric)};
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    double difference = fabs(change_saved(y)) - fabs(change_saved(x));
    if (difference != 0)
        return difference < 0 ? -1 : 1;
    if (x->metric != y->metric)
        return x->metric < y->metric ? -1 : 1;
    return (x->path > y->path) - (x->path < y->path);
}

void changes_sort(struct change *changes, size_t count)
{
    if (count > 1)
        qsort(changes, count, sizeof *changes, compare_changes);
}

size_t comparison_rank(const struct comparison *comparison, enum metric metric, int sign,
                       double least, struct change *changes, size_t capacity)
{
    size_t found = 0;
    assert(changes && capacity > 0);
    for (uint32_t path = 0; path < comparison->before->path_count; path++) {
        struct change change = comparison_change(comparison, metric, path);
        double saved = change_saved(&change);
        if (saved == 0 || saved * sign < 0 || fabs(saved) < least)
            continue;
        if (found < capacity)
            changes[found++] = change;
        else if (compare_changes(&change, &changes[capacity - 1]) < 0)
            changes[capacity - 1] = change;
        changes_sort(changes, found);
    }
    return found;
}
