/* A figure from repeated runs: the median, with an interval that assumes nothing about the
 * distribution (doc/methods.md, section 1). */
#ifndef BASE_ESTIMATE_H
#define BASE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

struct estimate {
    double median;
    double low, high; /* the interval; the extremes where none is claimed */
    double level;     /* probability with which it holds the true median, 0: none is claimed */
};

/* Of `count` >= 1 values. The interval is bounded by the k-th smallest and the k-th largest value,
 * with the largest k that gives 95 % or more; smallest and largest value (93.75 %) for five values;
 * below five none is claimed. */
struct estimate estimate_of(const double *values, size_t count);

/* Moves both bounds outwards, by the spread of several recordings of the same program. */
void estimate_widen(struct estimate *estimate, double by);

/* True if an interval is claimed and zero is outside it. */
bool estimate_is_significant(const struct estimate *estimate);

#endif
