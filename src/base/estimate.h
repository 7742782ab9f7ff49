/* A figure from repeated runs: the median, with an interval that assumes nothing about the
 * distribution (doc/methods.md, section 1). */
#ifndef BASE_ESTIMATE_H
#define BASE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

struct estimate {
    double median;
    double low, high; /* the interval; smallest and largest value if none is claimed */
    double level;     /* probability that it contains the true median; 0: no interval is claimed */
};

/* The figures of the repeated runs of one trace, from which estimates are made. */
struct repeat_figures {
    double *times_s;      /* [count], in order of the runs; one block with the others */
    double *total_errors; /* [count], of an identity replay (replay/repeat.h); NULL otherwise */
    double *aggregate_errors;
};

/* The estimate of `count` >= 1 values. The interval reaches from the k-th smallest to the k-th
 * largest value, with the largest k that gives at least 95 %. For five values it reaches from the
 * smallest to the largest (93.75 %); for fewer none is claimed. */
struct estimate estimate_of(const double *values, size_t count);

/* Moves both bounds outwards by `by`, the spread of several recordings of the same program. */
void estimate_widen(struct estimate *estimate, double by);

/* Moves both bounds outwards as an independent error of this half width does: squares are added. */
void estimate_add_error(struct estimate *estimate, double error);

/* True if an interval is claimed and does not contain zero. */
bool estimate_is_significant(const struct estimate *estimate);

#endif
