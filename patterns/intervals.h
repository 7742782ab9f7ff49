/* Synchronisation intervals. The interval of a wait lies between the last two moments at which the
 * waiting rank (the victim) and the one that it waits for (the culprit) were synchronised; the
 * second moment is the wait itself. Intervals are the same on all processes. Source: D. Boehme, M.
 * Geimer, F. Wolf, L. Arnold: Identifying the root causes of wait states in large-scale parallel
 * applications (ICPP 2010). */
#ifndef PATTERNS_INTERVALS_H
#define PATTERNS_INTERVALS_H

#include "patterns/sync_points.h"

struct interval { /* of one wait */
    /* The two ends of the last common point; INDEX_NONE: MPI_Init, or the begin of the trace. */
    uint32_t victim_start, culprit_start;
    /* The culprit's own waits in the interval: numbers of waits. */
    uint32_t first_cause, cause_count;
    /* In a collective: the culprit's waits that end before this row pass no costs on. */
    uint32_t passes_from;
};

/* Collective. Finds the interval of each wait, [wait_count]. The processes of a host share the work
 * and the memory, which is to be closed in any case. */
enum status intervals_find(const struct sync_points *points, struct host_memory *intervals,
                           struct error *error);

/* How many ticks the calls of culprit and victim that start the interval last beyond the end of the
 * first of the two. The interval must not start at INDEX_NONE. */
void interval_start_times(const struct sync_points *points, const struct interval *interval,
                          int64_t *culprit, int64_t *victim);

/* The number of the rank's waits in calls entered before `row`, plus those of lower ranks. */
uint32_t interval_last_wait(const struct sync_points *points, uint32_t rank, uint32_t row);

/* The first of the rank's waits up to `last` (see above) in an interval that begins at the end
 * `start` (INDEX_NONE: with the trace). */
uint32_t interval_first_wait(const struct sync_points *points, uint32_t start, uint32_t rank,
                             uint32_t last);

#endif
