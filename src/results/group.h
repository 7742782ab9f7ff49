/* Repeated runs of one program: their mean, and the union of what different tools have measured. */
#ifndef RESULTS_GROUP_H
#define RESULTS_GROUP_H

#include "results/result.h"

struct result_group {
    const struct result *runs; /* each with its severities */
    size_t count;              /* >= 1 */
};

/* The mean over the runs of each value, and of T; a value that a run lacks is 0 there. The caller
 * destroys it. Fails when memory is out. Process 0. */
enum status group_mean(const struct result_group *group, struct severity **mean,
                       struct error *error);

/* All metrics of all runs. One that several runs have values of is taken from the first of them. T
 * is the first that is known. Otherwise as group_mean. */
enum status group_merge(const struct result_group *group, struct severity **merged,
                        struct error *error);

/* Sums over the ranks, in one location, for comparison with results that have nothing else. */
enum status severity_over_ranks(const struct severity *severity, struct severity **sum,
                                struct error *error);

#endif
