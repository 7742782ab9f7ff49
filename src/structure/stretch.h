/* A part of a trace, which may consist of iterations, and the iterations that represent others. */
#ifndef STRUCTURE_STRETCH_H
#define STRUCTURE_STRETCH_H

#include "structure/metrics.h"

/* On one rank, in ticks: the iterations to cut, and the part of the stretch in which they represent
 * iterations. */
struct stretch_part {
    struct cut_range cut, all;
    uint64_t computation; /* in the iterations that they represent; 0 unless these will be cut */
};

/* Consecutive iterations that represent a part of a stretch's iterations. */
struct stretch_sample {
    size_t first, count;      /* to be cut */
    size_t from, to;          /* they represent iterations from <= i < to: */
    uint32_t stratum;         /* those of this stratum, if the stretch has strata; otherwise all */
    struct stretch_part *own; /* [owned rank] */
};

/* A part of the trace. The children of the whole trace follow each other in time; those of a
 * periodic stretch are the parts of its representative period. */
struct stretch {
    uint64_t begin, end; /* ticks */
    size_t iterations;   /* 1: does not repeat */
    uint64_t *bounds;    /* [iterations + 1], ticks; NULL if it does not repeat */
    uint32_t *kinds;     /* [iterations]: what each does, numbered from 0 in order of time; NULL if
                            it does not repeat */
    uint32_t kind_count; /* 1: all do the same */
    bool *flushed;       /* [iterations]: some rank flushed buffers or lost cores in it; NULL if it
                            does not repeat */
    bool *perturbed;     /* [iterations]: flushed, unless at least half of its kind are; or the
                            length is far from the median of its kind */
    size_t perturbed_count;
    double period; /* ticks: mean of the iterations that are not perturbed; 0: does not repeat */
    /* Of the lengths of these iterations, each divided by the mean of its kind, times the period:
     */
    double shortest, longest;
    double lower_quartile, upper_quartile;
    uint32_t path,
        calls; /* that begin a period (iterations.h); CALLPATH_NONE: it does not repeat */
    size_t representative;          /* the medoid of the periods (medoid.h) */
    uint32_t *strata;               /* [iterations]: the stratum of each; NULL: there are none */
    struct stretch_sample *samples; /* in order of `from`; then that of the representative first */
    size_t sample_count;
    const char *signal; /* in which the period was found; NULL: none */
    double quality;     /* similarity of the signal one period later; 1 if the calls repeat */
    bool flushing;      /* perturbed, and no part of a loop: buffers were flushed or cores lost */
    double mpi, point_to_point, collective; /* part of the ranks' time */
    struct part_metrics metrics;            /* from begin to end on all ranks */
    struct stretch *children;
    size_t child_count;
};

/* The length of iteration i, in ticks. */
static inline uint64_t stretch_iteration_ticks(const struct stretch *stretch, size_t i)
{
    return stretch->bounds[i + 1] - stretch->bounds[i];
}

/* Whether a sample of the stretch represents iteration i. */
static inline bool stretch_sample_represents(const struct stretch *stretch,
                                             const struct stretch_sample *sample, size_t i)
{
    return i >= sample->from && i < sample->to &&
           (!stretch->strata || stretch->strata[i] == sample->stratum);
}

/* Iterations of a kind. */
struct kind_sum {
    size_t count;
    double ticks; /* of all of them */
};

/* The mean length of these iterations, in ticks; 0 if there are none. */
static inline double kind_mean_ticks(const struct kind_sum *kind)
{
    return kind->count > 0 ? kind->ticks / (double)kind->count : 0;
}

/* Sums up the iterations from <= i < to by kind: [kind_count]. `perturbed`: also those that are
 * perturbed. */
void stretch_sum_kinds(const struct stretch *stretch, size_t from, size_t to, bool perturbed,
                       struct kind_sum *kinds);

/* Sets what depends on the lengths of the iterations, from their bounds and kinds, and from
 * `flushed`. `perturbed` has room for them. False if out of memory. */
bool stretch_measure_lengths(struct stretch *stretch);

/* The number of iterations of a kind. Sets `*period`, unless it is NULL, to the mean length of
 * those that are not perturbed, in ticks. */
size_t stretch_kind_measure(const struct stretch *stretch, uint32_t kind, double *period);

#endif
