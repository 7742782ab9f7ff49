/* The pattern search: finds wait states in a matched trace and puts their severities into a store.
 */
#ifndef PATTERNS_SEARCH_H
#define PATTERNS_SEARCH_H

#include "base/array.h"
#include "patterns/pattern.h"
#include "severity/severity.h"
#include "trace/trace.h"

/* Collective over trace->processes. The trace must be matched. `*severity` receives the values of
 * the ranks that this process owns (severity_gather unites them); free it with severity_destroy.
 * The result does not depend on the number of processes. Fails with STATUS_ENVIRONMENT if out of
 * memory, with STATUS_INPUT if there are too many waits; `*severity` is NULL then. */
enum status pattern_search(const struct trace *trace, struct severity **severity,
                           struct error *error);

struct explanations;

/* The same with `patterns`, which ends with NULL, instead of pattern_list(). Also explains the
 * waits that cost most (patterns/explain.h), unless `explanations` is NULL. */
enum status pattern_search_for(const struct trace *trace, const struct pattern *const *patterns,
                               struct explanations *explanations, struct severity **severity,
                               struct error *error);

/* Collective. The same, with the severities of all ranks on process 0; `*whole` is NULL elsewhere
 * and on failure. */
enum status pattern_search_whole(const struct trace *trace, struct severity **whole,
                                 struct error *error);

/* Collective. Lists what the calls of the owned ranks add to the metrics that count as waiting for
 * other ranks, in order of rank, row and metric. So the sums of a metric are those of
 * pattern_search, and a call can wait more than once. The caller frees `all.items`; after a failure
 * nothing is left to free. */
enum status pattern_search_waits(const struct trace *trace, struct metric_waits *waits,
                                 struct error *error);

/* Of several waits of a call, only the longest one stays: the first one of those. */
void metric_waits_keep_longest(struct metric_waits *waits);

#endif
