/* Where the pattern families add up their results: ticks, counts and bytes as integers, so that
 * sums are exact and do not depend on their order. Lack of memory is noted in `out_of_memory`. */
#ifndef PATTERNS_FINDINGS_H
#define PATTERNS_FINDINGS_H

#include "severity/metrics.h"
#include "severity/severity.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct findings {
    uint32_t rank_count; /* owned ranks */
    uint32_t path_count;
    bool out_of_memory;            /* something could not be added: do not use the findings */
    int64_t *values[METRIC_COUNT]; /* [rank * path_count + path]; NULL: all zero */
    /* Fractions of ticks, in the same places. They must be added in an order that does not depend
     * on the number of processes. */
    double *shares[METRIC_COUNT];
};

void findings_clear(struct findings *findings);

/* One metric's values by call path, of the owned rank with index `rank`: for hot loops. NULL when
 * memory is out. */
int64_t *findings_column(struct findings *findings, enum metric metric, uint32_t rank);

/* Adds `value` to one metric at a call path of the owned rank with index `rank`. The caller must
 * also add it to the parent metrics that do not contain the value yet. Does nothing if `path` is
 * CALLPATH_NONE or `metric` is METRIC_NONE. */
void findings_add(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                  int64_t value);

/* The same for a fraction of ticks; `metric` must be a metric. */
void findings_add_share(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                        double value);

/* The severity store of the owned ranks, in seconds, counts and bytes. NULL when memory is out. */
struct severity *findings_to_severity(const struct findings *findings, const struct trace *trace);

#endif
