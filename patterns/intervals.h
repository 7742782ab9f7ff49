/* Synchronisation intervals: what happened between the last two moments at which a waiting rank and
 * the one it waits for were synchronised. Source: D. Boehme, M. Geimer, F. Wolf, L. Arnold:
 * Identifying the root causes of wait states in large-scale parallel applications (ICPP 2010). The
 * same on all processes. */
#ifndef PATTERNS_INTERVALS_H
#define PATTERNS_INTERVALS_H

#include "patterns/sync_points.h"

struct interval { /* of one wait */
    /* Ends of the last point before, at the victim and at the culprit; INDEX_NONE: MPI_Init, or the
     * begin of the trace. */
    uint32_t victim_start, culprit_start;
    /* The culprit's own waits inside: numbers of waits. */
    uint32_t first_cause, cause_count;
    /* In a collective: waits of the culprit whose end stands before this row pass no costs on. */
    uint32_t passes_from;
};

/* An interval for each wait; free it. NULL when memory is out. */
struct interval *intervals_find(const struct sync_points *points);

/* Ticks by which the calls that start the interval take longer, at the culprit and at the victim,
 * after the first of them is done. Not for intervals that start at INDEX_NONE. */
void interval_start_times(const struct sync_points *points, const struct interval *interval,
                          int64_t *culprit, int64_t *victim);

/* The rank's waits (first .. last - 1) that lie between the start (INDEX_NONE: from the beginning)
 * and the call of `end`. */
void interval_waits(const struct sync_points *points, uint32_t start, const struct sync_end *end,
                    uint32_t *first, uint32_t *last);

#endif
