/* The sums of the pattern families' results: ticks, counts and bytes as integers, so that sums are
 * exact and do not depend on their order. A failed allocation sets `out_of_memory`. Memory is used
 * for values that are not 0, or for all call paths of a metric where that is less. */
#ifndef PATTERNS_FINDINGS_H
#define PATTERNS_FINDINGS_H

#include "base/array.h"
#include "severity/metrics.h"
#include "severity/severity.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* A pattern's own metrics: METRIC_OWN(0) and so on, numbered from `first`. */
struct own_metrics {
    const struct metric_info *infos;
    uint32_t first;
};

struct rank_findings;
struct pool;

/* A worker thread of a rank (threads/teams.h). Its values follow those of the ranks: worker i is
 * "rank" rank_count + i of the findings. */
struct findings_worker {
    uint32_t stream; /* trace_any_stream */
    uint32_t s;      /* its rank: trace->streams[s] */
    uint32_t thread; /* from 1 */
};

/* What a call of an owned rank adds to a metric that counts as waiting. */
struct metric_wait {
    uint32_t rank, enter_row; /* of the call */
    uint32_t culprit;         /* the rank that it waits for; INDEX_NONE: unknown */
    enum metric metric;       /* of the list */
    int64_t ticks;
};

struct metric_waits {
    ARRAY(struct metric_wait) all;
};

struct findings {
    uint32_t rank_count;                   /* owned ranks */
    ARRAY(struct findings_worker) workers; /* by rank and number */
    uint32_t path_count;
    uint32_t path_bits;                /* that the number of a path needs */
    bool out_of_memory;                /* values are missing: do not use the findings */
    ARRAY(struct metric_info) metrics; /* those of the list, then those of each pattern */
    ARRAY(struct own_metrics) own;     /* [pattern with own metrics] */
    uint32_t own_first;                /* number of METRIC_OWN(0) of the pattern that is searched */
    struct rank_findings *ranks;       /* [rank_count + workers] */
    struct pool *pool;                 /* of the ranks' tables */
    struct metric_waits *waits;        /* of the calls; NULL: not asked for */
};

/* The sum of a metric at a call path, if it is not 0: whole ticks, counts or bytes (`value`), or
 * fractions of ticks (`share`); the other member is 0. Fractions are summed separately, and must be
 * added in an order that does not depend on the number of processes. */
struct finding {
    enum metric metric;
    uint32_t path;
    bool is_share;
    int64_t value;
    double share;
};

enum { FINDINGS_AT_ONCE = 64 };

/* The place of the thread of an owned rank: 0 is the rank itself. INDEX_NONE: it has no parts in
 * parallel regions. */
uint32_t findings_place(const struct findings *findings, uint32_t s, uint32_t thread);

/* Empty findings of metrics of the list, for the owned ranks of a trace and their workers.
 * `findings` is all zero before. False if out of memory; then nothing is left to free. */
bool findings_open(struct findings *findings, const struct trace *trace);
void findings_clear(struct findings *findings);

/* Adds a pattern's own metrics, before any value is added. They end with an entry without a name
 * and outlive the findings; NULL: none. Their names are new. False if out of memory. */
bool findings_add_metrics(struct findings *findings, const struct metric_info *infos);

/* METRIC_OWN then means these metrics, which have been added. */
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

/* Lists a wait for another rank, if such a list is asked for. Metrics of plug-ins are left out. */
void findings_list_wait(struct findings *findings, const struct metric_wait *wait);

/* Allocates memory for about `values` values of a rank that has none yet, if they are few: tables
 * of many values grow as needed. */
void findings_expect(struct findings *findings, uint32_t rank, size_t values);

/* Prefetches a rank's values into the caches. Any number is allowed. */
void findings_prefetch(const struct findings *findings, uint32_t rank);

/* The sum of a metric so far, without shares. */
int64_t findings_get(const struct findings *findings, enum metric metric, uint32_t rank,
                     uint32_t path);

/* False if nothing has been added to the metric at the rank, for most such ranks. Fast. */
bool findings_may_have(const struct findings *findings, enum metric metric, uint32_t rank);

/* Goes through a rank's values, in no order: writes the next ones to `found` and returns their
 * number, 0 at the end. `*place` is 0 before the first call; nothing may be added meanwhile. */
size_t findings_next(const struct findings *findings, uint32_t rank, size_t *place,
                     struct finding found[FINDINGS_AT_ONCE]);

/* The severity store of the owned ranks, in seconds, counts and bytes. The findings are empty
 * afterwards. NULL if out of memory. */
struct severity *findings_to_severity(struct findings *findings, const struct trace *trace);

#endif
