/* Where the families of patterns add up what they find: integer ticks, counts and bytes, so that
 * sums are exact and do not depend on order. */
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
    bool out_of_memory;            /* something could not be added: nothing here is of use */
    int64_t *values[METRIC_COUNT]; /* [rank * path_count + path]; NULL: all zero */
    /* Shares of ticks, as values. Whoever adds does so in an order that does not depend on the
     * number of processes. */
    double *shares[METRIC_COUNT];
};

void findings_clear(struct findings *findings);

/* The metric's column of one owned rank, for hot loops; NULL (and out_of_memory) if memory is out.
 */
int64_t *findings_column(struct findings *findings, enum metric metric, uint32_t rank);

/* Adds to one metric at a call path of an owned rank; the metrics that include it are the caller's
 * business (the wait of a late sender in the wrong order stands under late sender already). Nothing
 * happens where `path` is CALLPATH_NONE or `metric` METRIC_NONE. */
void findings_add(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                  int64_t value);

/* The same for a share of ticks. */
void findings_add_share(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                        double value);

/* The severity store of the owned ranks, in seconds, counts and bytes. NULL when memory is out. */
struct severity *findings_to_severity(const struct findings *findings, const struct trace *trace);

#endif
