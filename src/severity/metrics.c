#include "severity/metrics.h"

#include "base/sort.h"

#include <assert.h>
#include <string.h>

const struct metric_info metric_infos[METRIC_COUNT] = {
#define X(identifier, name, unit, parent, role, title, description) \
    [METRIC_##identifier] = {name, unit, parent, title, description, NULL, MERGE_SUM, role},
    METRIC_LIST(X)
#undef X
};

const struct sync_kind_info sync_kind_infos[SYNC_KIND_COUNT] = {
    [SYNC_NONE] = {METRIC_NONE, METRIC_NONE, METRIC_NONE},
#define X(identifier, wait, delay) \
    [SYNC_##identifier] = {METRIC_##wait, METRIC_##delay, METRIC_##delay##_LONGTERM},
    SYNC_KINDS(X)
#undef X
};

const char *sync_kind_name(enum sync_kind kind)
{
    assert(kind < SYNC_KIND_COUNT);
    return kind == SYNC_NONE ? "Wait" : metric_infos[sync_kind_infos[kind].wait].title;
}

/* [wait state], but for WAIT_STATE_NONE. */
static const enum metric wait_metrics[WAIT_STATE_COUNT] = {
#define X(identifier, name, unit, parent, role, title, description) \
    IF_WAIT_##role([WAIT_STATE_##identifier] = METRIC_##identifier, )
    METRIC_LIST(X)
#undef X
};

enum wait_state wait_state_of(enum metric metric)
{
    const size_t state = first_where(1, WAIT_STATE_COUNT, i, wait_metrics[i] >= metric);
    return state < WAIT_STATE_COUNT && wait_metrics[state] == metric ? (enum wait_state)state
                                                                     : WAIT_STATE_NONE;
}

const char *wait_state_name(enum wait_state state)
{
    assert(state < WAIT_STATE_COUNT);
    return state == WAIT_STATE_NONE ? "Wait" : metric_infos[wait_metrics[state]].title;
}

static const char *const unit_names[UNIT_OTHER] = {
    [UNIT_SECONDS] = "sec", [UNIT_COUNT] = "occ", [UNIT_BYTES] = "bytes"};

const char *metric_unit_name(enum metric_unit unit)
{
    assert(unit < UNIT_OTHER);
    return unit_names[unit];
}

enum metric_unit metric_unit_from_name(const char *name)
{
    int unit = 0;
    while (unit < UNIT_OTHER && strcmp(unit_names[unit], name) != 0)
        unit++;
    return (enum metric_unit)unit;
}

const char *metric_info_unit(const struct metric_info *info)
{
    return info->unit == UNIT_OTHER ? info->unit_name : unit_names[info->unit];
}

const char *const metric_merge_names[METRIC_MERGES] = {
    [MERGE_SUM] = "sum", [MERGE_MIN] = "min", [MERGE_MAX] = "max"};

double metric_merge_values(enum metric_merge merge, double a, double b)
{
    if (merge == MERGE_SUM)
        return a + b;
    if (a == 0 || b == 0)
        return a == 0 ? b : a;
    return (merge == MERGE_MIN) == (a < b) ? a : b;
}

bool metric_is_of_threads(const struct metric_info *infos, enum metric metric)
{
    while (metric != METRIC_NONE && metric != METRIC_OMP_TIME && metric != METRIC_PTHREAD_TIME)
        metric = infos[metric].parent;
    return metric != METRIC_NONE;
}

int metric_depth(const struct metric_info *infos, enum metric metric)
{
    int depth = 0;
    while ((metric = infos[metric].parent) != METRIC_NONE)
        depth++;
    return depth;
}

enum metric metric_from_name(const char *name)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (strcmp(metric_infos[metric].name, name) == 0)
            return (enum metric)metric;
    return METRIC_NONE;
}
