#include "severity/metrics.h"

#include <string.h>

const struct metric_info metric_infos[METRIC_COUNT] = {
#define X(identifier, name, unit, parent, title, description) \
    [METRIC_##identifier] = {name, unit, parent, title, description},
    METRIC_LIST(X)
#undef X
};

const char *metric_unit_name(enum metric_unit unit)
{
    static const char *const names[] = {
        [UNIT_SECONDS] = "sec", [UNIT_COUNT] = "occ", [UNIT_BYTES] = "bytes"};
    return names[unit];
}

enum metric metric_from_name(const char *name)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (strcmp(metric_infos[metric].name, name) == 0)
            return (enum metric)metric;
    return METRIC_NONE;
}
