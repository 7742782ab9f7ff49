#include "report/comparison.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum status comparison_create(const struct severity *before, const struct severity *after,
                              struct comparison *comparison, struct error *error)
{
    assert(before && after);
    *comparison =
        (struct comparison){.location_counts = {before->location_count, after->location_count}};
    enum status status = severity_sum(before, 1, after, 0, &comparison->before, error);
    if (status == STATUS_OK)
        status = severity_sum(before, 0, after, 1, &comparison->after, error);
    if (status != STATUS_OK)
        comparison_destroy(comparison);
    return status;
}

void comparison_destroy(struct comparison *comparison)
{
    severity_destroy(comparison->before);
    severity_destroy(comparison->after);
    *comparison = (struct comparison){.before = NULL};
}

struct metric_change comparison_change(const struct comparison *comparison, enum metric metric,
                                       uint32_t path)
{
    assert(comparison->before && comparison->after);
    return (struct metric_change){metric, path,
                                  severity_path_total(comparison->before, metric, path),
                                  severity_path_total(comparison->after, metric, path)};
}

struct metric_change comparison_total(const struct comparison *comparison, enum metric metric)
{
    return (struct metric_change){metric, SEVERITY_NONE, severity_total(comparison->before, metric),
                                  severity_total(comparison->after, metric)};
}

static int compare_changes(const void *a, const void *b)
{
    const struct metric_change *x = a, *y = b;
    double difference = fabs(change_saved(y)) - fabs(change_saved(x));
    return ORDER(difference, 0) ?: ORDER(x->metric, y->metric) ?: ORDER(x->path, y->path);
}

void changes_sort(struct metric_change *changes, size_t count)
{
    if (count > 1)
        qsort(changes, count, sizeof *changes, compare_changes);
}

size_t comparison_rank(const struct comparison *comparison, enum metric metric, int sign,
                       double least, struct metric_change *changes, size_t capacity)
{
    assert(capacity == 0 || changes);
    size_t found = 0;
    assert(changes && capacity > 0);
    for (uint32_t path = 0; path < comparison->before->path_count; path++) {
        struct metric_change change = comparison_change(comparison, metric, path);
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
