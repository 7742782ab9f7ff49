/* The pattern search: finds wait states in a matched trace and puts their severities into a store.
 */
#ifndef PATTERNS_SEARCH_H
#define PATTERNS_SEARCH_H

#include "patterns/pattern.h"
#include "severity/severity.h"
#include "trace/trace.h"

/* Collective over trace->processes; any number of processes, results are identical for all. The
 * trace must be matched. `*severity` holds the owned ranks' values on every process
 * (severity_gather unites them); free it with severity_destroy. */
enum status pattern_search(const struct trace *trace, struct severity **severity,
                           struct error *error);

struct explanations;

/* The same, and explains the waits that cost most (patterns/explain.h). */
enum status pattern_search_explain(const struct trace *trace, struct explanations *explanations,
                                   struct severity **severity, struct error *error);

/* The same with other patterns than pattern_list's; NULL-terminated. */
enum status pattern_search_for(const struct trace *trace, const struct pattern *const *patterns,
                               struct severity **severity, struct error *error);

#endif
