/* Sums over the parts of a run: measure.c chooses the parts and makes rows from the sums, sweep.c
 * and sweep_regions.c read the events.
 *
 * Intervals come first: the run, then iterations, then windows. Each lasts from borders[part] to
 * borders[part + 1]; no part begins at the last border of each of these three groups. Regions
 * follow. */
#ifndef EFFICIENCY_MEASUREMENT_H
#define EFFICIENCY_MEASUREMENT_H

#include "threads/teams.h"
#include "trace/trace.h"

/* The time of an owned rank between MPI_Init and MPI_Finalize, in ticks; of all its events if it
 * calls neither. `ideal_...`: in the ideal run. */
struct focus {
    uint64_t begin, end, ideal_begin, ideal_end;
    bool empty; /* the rank has no events */
};

/* The longest times of any rank, in ticks. */
struct longest {
    int64_t computed, ideal, spent; /* ideal: between the mapped borders, or in the region */
    int64_t useful;                 /* of any thread */
};

struct pop_measurement {
    const struct trace *trace, *ideal; /* `ideal`: a view; NULL: unknown */
    struct focus *focus;               /* [owned rank] */
    uint64_t begin, end;               /* of the run */
    int64_t ideal_length;              /* of the run */
    uint64_t *borders;
    size_t border_count, iterations, windows, part_count;
    size_t loop_length,
        stride;        /* iterations of the loop, and of each row; the last row may have fewer */
    int64_t *computed; /* [part]: of all ranks */
    int64_t *useful;   /* [part]: of all threads of all ranks */
    int64_t *idle;     /* [part]: of workers while their masters compute outside of teams */
    struct longest *longest; /* [part] */
    int64_t *folded;         /* [owned rank][call path]: ticks that a reduced archive states in
                                addition to its events, of master threads; NULL: it is whole */
    struct teams teams;      /* of the owned ranks */
    int64_t team_count;      /* of all ranks, of those with other threads */
    int64_t threads;         /* of all ranks, including master threads */
};

enum { PART_OF_RUN }; /* the first part */

static inline size_t part_of_region(const struct pop_measurement *m, uint32_t region)
{
    return m->border_count + region;
}

/* The ticks that an archive states for a call path of an owned rank in addition to its events. */
static inline int64_t folded_time(const struct pop_measurement *m, uint32_t s, uint32_t path)
{
    return m->folded ? m->folded[s * m->trace->calltree.paths.count + path] : 0;
}

/* Fills focus, begin, end and ideal_length. Collective. */
void find_focus(struct pop_measurement *m);

/* Fills `folded`. Collective. Fails if out of memory, or if the archive is wrong. */
enum status find_folded(struct pop_measurement *m, struct error *error);

/* Finds the teams of the ranks and counts the threads that are recorded. Collective. Fails when
 * memory is out. */
enum status count_threads(struct pop_measurement *m, struct error *error);

static inline void keep_longest(int64_t *longest, int64_t value)
{
    if (value > *longest)
        *longest = value;
}

/* Add the owned ranks' times to `computed`, `useful`, `idle` and `longest`: of intervals, and of
 * regions. A region contains what the threads of a rank do while their master is in it. False when
 * memory is out. */
bool sweep_times(struct pop_measurement *m);
bool sweep_regions(struct pop_measurement *m);

#endif
