/* What repeated replays say together: a median with its nonparametric interval (METHODS 1).
 *
 * The interval of the median of n samples from the k-th smallest to the k-th largest holds with
 * probability 1 - 2 * sum over i < k of C(n, i) / 2^n, whatever the distribution. */
#ifndef REPLAY_REPEAT_H
#define REPLAY_REPEAT_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double median, low, high;
    double level; /* probability that low .. high holds the true median; 0: none is claimed, and low
                     and high are the extremes */
};

/* The narrowest symmetric interval with a level of at least 95 %, or the extremes of 5 samples
 * (93.75 %); below 5 none is claimed. All zero for no samples. */
struct interval interval_of(const double *samples, size_t count);

/* The interval of the paired differences before[i] - after[i] and of their fractions of before[i].
 * Run i of both was made in one go, so what disturbed both cancels out. */
struct interval interval_of_savings(const double *before, const double *after, size_t count);
struct interval interval_of_fractions(const double *before, const double *after, size_t count);

/* One interval for several recordings of one program: the median of their medians, and an interval
 * that holds all of theirs, so that it covers the spread from recording to recording. */
struct interval interval_unite(const struct interval *intervals, size_t count);

/* True if an interval is claimed and does not contain zero. */
bool interval_is_significant(const struct interval *interval);

double median_of(const double *samples, size_t count);

/* The sample nearest to the median: which run to show. `count` is not 0. */
size_t median_index(const double *samples, size_t count);

#endif
