/* Several runs of one program: the mean of repeated runs, and the union of metrics that different
 * tools measured. */
#ifndef RESULTS_GROUP_H
#define RESULTS_GROUP_H

#include "results/result.h"

struct result_group {
    const struct result *runs; /* each with its severities */
    size_t count;              /* >= 1 */
};

/* The mean of each value and of T over the runs; a value that a run does not have counts as 0. The
 * caller frees it with severity_destroy. Fails when memory is out. Process 0 only. */
enum status group_mean(const struct result_group *group, struct severity **mean,
                       struct error *error);

/* All metrics of all runs. A metric that several runs have is taken from the first of them, and so
 * is T. Otherwise as group_mean. */
enum status group_merge(const struct result_group *group, struct severity **merged,
                        struct error *error);

/* Sums over the ranks in one location, for comparison with results that have sums only. */
enum status severity_over_ranks(const struct severity *severity, struct severity **sum,
                                struct error *error);

#endif
