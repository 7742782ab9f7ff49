/* The metrics, from one list: enum, name (Scalasca's), unit, parent in the metric tree, title
 * and description. doc/metrics.md explains each. A severity store can hold further metrics: those
 * that a pattern of a plug-in brings itself, and those of other tools' reports (severity.h). */
#ifndef SEVERITY_METRICS_H
#define SEVERITY_METRICS_H

enum metric_unit { UNIT_SECONDS, UNIT_COUNT, UNIT_BYTES, UNIT_OTHER };

/* How the values of several call paths or locations are combined. For MERGE_MIN and MERGE_MAX, 0
 * means "no value". */
enum metric_merge { MERGE_SUM, MERGE_MIN, MERGE_MAX };
enum { METRIC_MERGES = 3 };

#include "severity/metric_list.h" /* METRIC_LIST(X): X(identifier, "name", unit, parent, "title", "description") */

enum metric {
#define X(identifier, name, unit, parent, title, description) METRIC_##identifier,
    METRIC_LIST(X)
#undef X
        METRIC_COUNT,
    METRIC_NONE = -1, /* parent of a root */
    METRIC_OWN_FIRST = 1 << 16
};

/* In a pattern: the n-th metric, from 0, of those that it brings itself (patterns/pattern.h). */
#define METRIC_OWN(n) ((enum metric)(METRIC_OWN_FIRST + (n)))

struct metric_info {
    const char *name;
    enum metric_unit unit;
    enum metric parent;
    const char *title, *description;
    const char *unit_name; /* of UNIT_OTHER; else NULL */
    enum metric_merge merge;
};

extern const struct metric_info metric_infos[METRIC_COUNT];

/* "sec", "occ", "bytes": Scalasca's words. Not for UNIT_OTHER. */
const char *metric_unit_name(enum metric_unit unit);
/* UNIT_OTHER for any other name. */
enum metric_unit metric_unit_from_name(const char *name);
/* The name of the unit of any metric, also of one that is not in the list. */
const char *metric_info_unit(const struct metric_info *info);

extern const char *const metric_merge_names[METRIC_MERGES]; /* "sum", "min", "max" */
double metric_merge_values(enum metric_merge merge, double a, double b);

/* How many metrics are above this one; `infos` may be those of a store. */
int metric_depth(const struct metric_info *infos, enum metric metric);

/* METRIC_NONE if no metric has that name. */
enum metric metric_from_name(const char *name);

#endif
