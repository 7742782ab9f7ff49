/* The metrics, from one list: enum, name (Scalasca's), unit, parent in the metric tree, title and
 * description. doc/metrics.md explains each. */
#ifndef SEVERITY_METRICS_H
#define SEVERITY_METRICS_H

enum metric_unit { UNIT_SECONDS, UNIT_COUNT, UNIT_BYTES };

#include "severity/metric_list.h" /* METRIC_LIST(X): X(identifier, "name", unit, parent, "title", "description") */

enum metric {
#define X(identifier, name, unit, parent, title, description) METRIC_##identifier,
    METRIC_LIST(X)
#undef X
        METRIC_COUNT,
    METRIC_NONE = METRIC_COUNT /* parent of a root */
};

struct metric_info {
    const char *name;
    enum metric_unit unit;
    enum metric parent;
    const char *title, *description;
};

extern const struct metric_info metric_infos[METRIC_COUNT];

const char *metric_unit_name(enum metric_unit unit); /* "sec", "occ", "bytes": Scalasca's words */

/* METRIC_NONE if there is none of that name. */
enum metric metric_from_name(const char *name);

#endif
