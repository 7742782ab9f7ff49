/* Two runs in one numbering: with the metrics, call paths and locations that occur in either of
 * them. A value that one run does not have is 0 there. */
#ifndef REPORT_COMPARISON_H
#define REPORT_COMPARISON_H

#include "severity/severity.h"

struct comparison {
    struct severity *before, *after; /* same paths and locations, in the same order */
    uint32_t location_counts[2];     /* before, after: of each run itself */
};

/* Copies both stores into the common form; comparison_destroy frees them. Fails when memory is
 * out. */
enum status comparison_create(const struct severity *before, const struct severity *after,
                              struct comparison *comparison, struct error *error);
void comparison_destroy(struct comparison *comparison);

/* How a metric changed in a call path: values before and after, summed over all locations. */
struct metric_change {
    enum metric metric;
    uint32_t path;
    double before, after;
};

/* What the change saves: before - after. */
static inline double change_saved(const struct metric_change *change)
{
    return change->before - change->after;
}

struct metric_change comparison_change(const struct comparison *comparison, enum metric metric,
                                       uint32_t path);
/* The metric over all call paths; `path` is SEVERITY_NONE. */
struct metric_change comparison_total(const struct comparison *comparison, enum metric metric);

/* Ranks the call paths by how much `metric` changed there, largest change first: savings if `sign`
 * > 0, losses if `sign` < 0, both if it is 0. Changes smaller than `least` are left out. Writes at
 * most `capacity` changes and returns how many it wrote. */
size_t comparison_rank(const struct comparison *comparison, enum metric metric, int sign,
                       double least, struct metric_change *changes, size_t capacity);

/* Sorts by size of change, largest first. */
void changes_sort(struct metric_change *changes, size_t count);

#endif
