/* Two runs side by side, with the metrics, call paths and locations of either. A value missing in
 * one run is 0 there. */
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

/* One line of a ranking: a metric in a call path, summed over all locations. */
struct change {
    enum metric metric;
    uint32_t path;
    double before, after;
};

/* What the change saves: positive where the second run has less. */
static inline double change_saved(const struct change *change)
{
    return change->before - change->after;
}

struct change comparison_change(const struct comparison *comparison, enum metric metric,
                                uint32_t path);
/* The metric over all call paths; `path` is SEVERITY_NONE. */
struct change comparison_total(const struct comparison *comparison, enum metric metric);

/* Ranks the call paths by how much `metric` changed there, largest change first: savings if `sign`
 * > 0, losses if `sign` < 0, both if it is 0. Changes smaller than `least` are left out. Writes the
 * first `capacity` of them and returns how many these are. */
size_t comparison_rank(const struct comparison *comparison, enum metric metric, int sign,
                       double least, struct change *changes, size_t capacity);

/* Sorts by size of change, largest first. */
void changes_sort(struct change *changes, size_t count);

#endif
