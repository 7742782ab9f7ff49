/* Synchronisation intervals. The interval of a wait lies between the last two moments at which the
 * waiting rank (the victim) and the one that it waits for (the culprit) were synchronised; the
 * second moment is the wait itself. Source: D. Boehme, M. Geimer, F. Wolf, L. Arnold: Identifying
 * the root causes of wait states in large-scale parallel applications (ICPP 2010). */
#ifndef PATTERNS_INTERVALS_H
#define PATTERNS_INTERVALS_H

#include "patterns/sync_points.h"

/* A wait as the owner of its culprit sees it: its interval, and what delays.h finds there. */
struct caused_wait {
    int64_t victim_until;   /* `until` of the victim's end at the start */
    int64_t delay;          /* ticks of all delays */
    size_t delays;          /* where their list begins */
    uint32_t end;           /* the end that waits */
    uint32_t culprit_start; /* the culprit's end at the last common point; INDEX_NONE: MPI_Init, or
                               the beginning of the trace */
    uint32_t victim_start;  /* row of the victim's call there */
    /* The culprit's own waits in the interval: numbers of waits. */
    uint32_t first_cause, cause_count;
    /* In a collective: the culprit's waits that end before this row pass no costs on. */
    uint32_t passes_from;
};

/* The waits for owned ranks. */
struct caused_waits {
    struct caused_wait *all; /* [count], by culprit, in order of time and the ranks that wait */
    uint32_t *first;         /* [owned rank + 1] into `all` */
    uint32_t count;
};

/* Collective. Finds the intervals of all waits. After a failure nothing is left to free. */
enum status intervals_find(const struct trace *trace, const struct sync_points *points,
                           struct caused_waits *caused, struct error *error);
void caused_waits_clear(struct caused_waits *caused);

/* How many ticks the calls of culprit and victim that start the interval last beyond the end of the
 * first of the two. The interval must not start at INDEX_NONE. */
void interval_start_times(const struct sync_points *points, const struct caused_wait *caused,
                          int64_t *culprit, int64_t *victim);

/* The beginning of an interval at one of its two ranks. */
struct interval_start {
    uint32_t enter_row, event_row; /* of its end there; INDEX_NONE: the beginning of the trace */
    bool waits_in_pair;            /* a pair, in which this rank waits for the other */
    bool is_pair;
};

struct interval_start interval_culprit_start(const struct sync_points *points,
                                             const struct caused_wait *caused);
struct interval_start interval_victim_start(const struct sync_points *points,
                                            const struct caused_wait *caused);

/* The first of the owned rank's waits before the wait `last` in an interval with this start. */
uint32_t interval_first_wait(const struct sync_points *points, const struct interval_start *start,
                             uint32_t rank, uint32_t last);

#endif
