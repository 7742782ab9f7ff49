/* Where the pattern families add up their results: ticks, counts and bytes as integers, so that
 * sums are exact and do not depend on their order. Lack of memory is noted in `out_of_memory`. A
 * rank's values take memory for those that are not 0, or for each call path of a metric where that
 * is less. */
#ifndef PATTERNS_FINDINGS_H
#define PATTERNS_FINDINGS_H

#include "base/array.h"
#include "severity/metrics.h"
#include "severity/severity.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* The metrics that a pattern brings itself: METRIC_OWN(0) and so on, numbered from `first` on. */
struct own_metrics {
    const struct metric_info *infos;
    uint32_t first;
};

struct rank_findings;
struct pool;

struct findings {
    uint32_t rank_count; /* owned ranks */
    uint32_t path_count;
    uint32_t path_bits;                /* that the number of a path needs */
    bool out_of_memory;                /* something could not be added: do not use the findings */
    ARRAY(struct metric_info) metrics; /* those of the list, then those of each pattern */
    ARRAY(struct own_metrics) own;     /* [pattern that brings metrics] */
    uint32_t own_first;                /* number of METRIC_OWN(0) for the pattern that is at work */
    struct rank_findings *ranks;       /* [rank_count] */
    struct pool *pool;                 /* of the ranks' tables */
};

/* What has been added to a metric at a call path, if it is not 0: whole ticks, counts and bytes
 * (`value`), or a sum of fractions of ticks (`share`). The other one is 0. Fractions are kept
 * apart; they must be added in an order that does not depend on the number of processes. */
struct finding {
    enum metric metric;
    uint32_t path;
    bool is_share;
    int64_t value;
    double share;
};

enum { FINDINGS_AT_ONCE = 64 };

/* Empty findings of metrics of the list. `findings` is all zero before. False when memory is out;
 * clear them in any case. */
bool findings_open(struct findings *findings, uint32_t rank_count, uint32_t path_count);
void findings_clear(struct findings *findings);

/* Adds the metrics that a pattern brings itself, before any value is added. They end with an entry
 * without a name and outlive the findings; NULL: it brings none. Their names are new. False when
 * memory is out. */
bool findings_add_metrics(struct findings *findings, const struct metric_info *infos);

/* From now on METRIC_OWN means these metrics, which have been added. */
void findings_use_metrics(struct findings *findings, const struct metric_info *infos);

/* The number of a metric, which may be METRIC_OWN of those in use. METRIC_NONE is not changed. */
enum metric findings_metric(const struct findings *findings, enum metric metric);

/* Adds `value` to one metric at a call path of the owned rank with index `rank`. The caller must
 * also add it to the parent metrics that do not contain the value yet. Does nothing if `path` is
 * CALLPATH_NONE or `metric` is METRIC_NONE. */
void findings_add(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                  int64_t value);

/* The same for a fraction of ticks; `metric` must be a metric. */
void findings_add_share(struct findings *findings, enum metric metric, uint32_t rank, uint32_t path,
                        double value);

/* Makes room for about so many values of a rank that has none yet, if they are few: tables of many
 * values grow as they are needed. */
void findings_expect(struct findings *findings, uint32_t rank, size_t values);

/* Begins to fetch a rank's values into the caches. Any number is allowed. */
void findings_ahead(const struct findings *findings, uint32_t rank);

/* What has been added so far, without shares. */
int64_t findings_get(const struct findings *findings, enum metric metric, uint32_t rank,
                     uint32_t path);

/* False if nothing has been added to the metric at the rank, for most such ranks. Fast. */
bool findings_may_have(const struct findings *findings, enum metric metric, uint32_t rank);

/* Goes through a rank's values, in no order: writes the next ones to `found` and returns their
 * number, 0 at the end. `*place` is 0 before the first call; nothing may be added meanwhile. */
size_t findings_next(const struct findings *findings, uint32_t rank, size_t *place,
                     struct finding found[FINDINGS_AT_ONCE]);

/* The severity store of the owned ranks, in seconds, counts and bytes. The findings are empty
 * afterwards. NULL when memory is out. */
struct severity *findings_to_severity(struct findings *findings, const struct trace *trace);

#endif
