/* The parts of a run while they are measured: measure.c decides what they are and makes rows of
 * them, sweep.c goes through the events.
 *
 * Parts of time come first, each from borders[part] to borders[part + 1]: the run, then iterations,
 * then windows. The last border of each of these groups begins no part. Regions follow. */
#ifndef EFFICIENCY_PARTS_H
#define EFFICIENCY_PARTS_H

#include "trace/trace.h"

/* When an owned rank is between MPI_Init and MPI_Finalize, ticks; the whole of its events if it
 * calls neither. `ideal_...`: by the ideal run. */
struct focus {
    uint64_t begin, end, ideal_begin, ideal_end;
    bool empty; /* the rank has no events */
};

/* Longest of a rank, ticks. */
struct longest {
    int64_t computed, ideal, spent; /* ideal: between the images of the borders, or in the region */
};

struct measurement {
    const struct trace *trace, *ideal; /* `ideal`: a view; NULL: not known */
    struct focus *focus;               /* [owned rank] */
    uint64_t begin, end;               /* of the run */
    int64_t ideal_length;              /* of the run */
    uint64_t *borders;
    size_t border_count, iterations, windows, part_count;
    size_t loop_length, stride; /* iterations of the loop; of each row, the last may have fewer */
    int64_t *computed;          /* [part]: of all ranks */
    int64_t *useful;            /* [part]: of all threads of all ranks; parts of time only */
    struct longest *longest;    /* [part] */
    int64_t threads;            /* of all ranks, with their master threads */
};

static inline size_t part_of_region(const struct measurement *m, uint32_t region)
{
    return m->border_count + region;
}

/* Fills focus, begin, end and ideal_length. Collective. */
void find_focus(struct measurement *m);

/* Counts the threads that are recorded. Collective. */
void count_threads(struct measurement *m);

/* Adds the owned ranks' part to `computed`, `useful` and `longest`: of parts of time, and of
 * regions. The second is collective and fails if memory is out. */
void sweep_times(struct measurement *m);
enum status sweep_regions(struct measurement *m, struct error *error);

#endif
