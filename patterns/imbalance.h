/* The impact of imbalance, computed from activities that the caller gives. */
#ifndef PATTERNS_IMBALANCE_H
#define PATTERNS_IMBALANCE_H

#include "patterns/pattern.h"

/* Collective. `activities` are the owned ranks' ticks without waits, [rank * path_count + path]
 * (NULL: memory is out). Takes the critical path from the findings, splits the activities into
 * those on and off it and adds the cost of imbalance. */
enum status imbalance_find(const struct search_rank *ranks, const struct trace *trace,
                           const int64_t *activities, struct error *error);

#endif
