/* The pattern search: finds wait states in a matched trace and puts their severities into a store.
 */
#ifndef PATTERNS_SEARCH_H
#define PATTERNS_SEARCH_H

#include "severity/severity.h"
#include "trace/trace.h"

/* Collective over trace->processes; any number of processes, results are identical for all. The
 * trace must be matched. `*severity` holds the owned ranks' values on every process
 * (severity_gather unites them); free it with severity_destroy. */
enum status pattern_search(const struct trace *trace, struct severity **severity,
                           struct error *error);

#endif
