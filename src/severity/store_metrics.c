/* The metrics of a store that are not in the list. */
#include "severity/severity.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool units_fit(const char *a, const char *b)
{
    return !*a || !*b || strcmp(a, b) == 0;
}

enum metric severity_metric_find(const struct severity *severity, const char *name,
                                 const char *unit)
{
    for (uint32_t metric = 0; metric < severity->metric_count; metric++)
        if (strcmp(severity->metrics[metric].name, name) == 0 &&
            units_fit(metric_info_unit(&severity->metrics[metric]), unit))
            return (enum metric)metric;
    return METRIC_NONE;
}

/* Makes room for one metric more: the arrays are copied at METRIC_COUNT and then whenever the
 * number of further metrics is a power of 2. False when memory is out. */
static bool grow(struct severity *severity)
{
    uint32_t count = severity->metric_count, beyond = count - METRIC_COUNT;
    if ((beyond & (beyond - 1)) != 0)
        return true;
    size_t room = METRIC_COUNT + (beyond ? 2 * (size_t)beyond : 1);
    struct metric_info *metrics = arena_alloc_array(severity->arena, room, sizeof *metrics);
    double **values = arena_alloc_array(severity->arena, room, sizeof(double *));
    if (!metrics || !values)
        return false;
    memcpy(metrics, severity->metrics, count * sizeof *metrics);
    memcpy(values, severity->values, count * sizeof *values);
    severity->metrics = metrics;
    severity->values = values;
    return true;
}

/* False when memory is out. */
static bool copy_info(struct severity *severity, const struct metric_info *info,
                      struct metric_info *copy)
{
    const char **texts[] = {&copy->name, &copy->title, &copy->description, &copy->unit_name};
    *copy = *info;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!(*texts[i] = arena_strdup(severity->arena, *texts[i] ? *texts[i] : "")))
            return false;
    return true;
}

/* The metric's entry. A store with further metrics has its own array, which may be written to. */
static struct metric_info *own_metric(struct severity *severity, uint32_t metric)
{
    return (struct metric_info *)severity->metrics + metric;
}

/* Completes a metric that has no unit from another file's description. False when memory is out. */
static bool complete_metric(struct severity *severity, uint32_t metric,
                            const struct metric_info *info)
{
    if (*metric_info_unit(&severity->metrics[metric]) || !*metric_info_unit(info))
        return true;
    enum metric parent = info->parent < (int)metric ? info->parent : METRIC_NONE;
    if (!copy_info(severity, info, own_metric(severity, metric)))
        return false;
    own_metric(severity, metric)->parent = parent;
    return true;
}

enum metric severity_metric_add(struct severity *severity, const struct metric_info *info)
{
    assert(info->parent == METRIC_NONE || (uint32_t)info->parent < severity->metric_count);
    struct metric_info copy;
    enum metric known = severity_metric_find(severity, info->name, metric_info_unit(info));
    if (known != METRIC_NONE)
        return complete_metric(severity, (uint32_t)known, info) ? known : METRIC_NONE;
    if (!copy_info(severity, info, &copy) || !grow(severity))
        return METRIC_NONE;
    *own_metric(severity, severity->metric_count) = copy;
    return (enum metric)severity->metric_count++;
}
