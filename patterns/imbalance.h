/* The impact of imbalance, computed from activities that the caller gives. */
#ifndef PATTERNS_IMBALANCE_H
#define PATTERNS_IMBALANCE_H

#include "patterns/thread_path.h"

/* Adds an owned rank's ticks without waits to `activities` [path]. False if out of memory. */
typedef bool activity_finder(const struct search_rank *rank, const void *data, int64_t *activities);

/* Collective. Takes the critical path from the findings, splits the activities into those on and
 * off it and adds the cost of imbalance. Calls `find` with `data` once for each owned rank and each
 * of their workers, of which only `findings` and `index` are set. */
enum status imbalance_find(const struct search_rank *ranks, const struct trace *trace,
                           const struct thread_path *threads, activity_finder *find,
                           const void *data, struct error *error);

#endif
