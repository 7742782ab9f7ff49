/* The metrics that a store has beside the list's. */
#include "severity/severity.h"

#include <stdlib.h>
#include <string.h>

enum metric severity_metric_find(const struct severity *severity, const char *name,
                                 const char *unit)
{
    for (uint32_t metric = 0; metric < severity->metric_count; metric++)
        if (strcmp(severity->metrics[metric].name, name) == 0 &&
            strcmp(metric_info_unit(&severity->metrics[metric]), unit) == 0)
            return (enum metric)metric;
    return METRIC_NONE;
}

/* Room for one metric more: the arrays are copied at METRIC_COUNT and then whenever they have
 * doubled. */
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

static const char *copy_text(struct severity *severity, const char *text)
{
    return arena_strdup(severity->arena, text ? text : "");
}

enum metric severity_metric_add(struct severity *severity, const struct metric_info *info)
{
    enum metric known = severity_metric_find(severity, info->name, metric_info_unit(info));
    if (known != METRIC_NONE)
        return known;
    struct metric_info copy = *info;
    copy.name = copy_text(severity, info->name);
    copy.title = copy_text(severity, info->title);
    copy.description = copy_text(severity, info->description);
    if (info->unit == UNIT_OTHER)
        copy.unit_name = copy_text(severity, info->unit_name);
    if (!copy.name || !copy.title || !copy.description ||
        (info->unit == UNIT_OTHER && !copy.unit_name) || !grow(severity))
        return METRIC_NONE;
    /* Beyond the list's the arrays are this store's own. */
    memcpy((struct metric_info *)severity->metrics + severity->metric_count, &copy, sizeof copy);
    return (enum metric)severity->metric_count++;
}

bool severity_metrics_join(struct severity *severity, const struct severity *other,
                           enum metric *numbers)
{
    enum metric *own = malloc(other->metric_count * sizeof *own);
    bool joined = own != NULL;
    for (uint32_t metric = 0; joined && metric < other->metric_count; metric++) {
        struct metric_info info = other->metrics[metric];
        if (info.parent != METRIC_NONE)
            info.parent = own[info.parent];
        own[metric] = severity_metric_add(severity, &info);
        joined = own[metric] != METRIC_NONE;
    }
    if (joined && numbers)
        memcpy(numbers, own, other->metric_count * sizeof *own);
    free(own);
    return joined;
}
