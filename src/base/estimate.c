#include "base/estimate.h"

#include <assert.h>
#include <math.h>

enum { FEWEST_VALUES = 5 };

static const double LEVEL = 0.95;

/* The true median lies outside the interval from the k-th smallest to the k-th largest of n values
 * if fewer than k values lie on one side of it. The probability of that is 2 * sum_{i < k} C(n, i)
 * / 2^n. */
static double level_of(size_t n, size_t k)
{
    double term = pow(0.5, (double)n), outside = 0;
    for (size_t i = 0; i < k; i++) {
        outside += 2 * term;
        term *= (double)(n - i) / (double)(i + 1);
    }
    return 1 - outside;
}

/* The k-th smallest value, counted from 0. Allocates no memory, so it cannot fail; quadratic, which
 * suffices for a thousand runs. */
static double smallest(const double *values, size_t count, size_t k)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;
        for (size_t j = 0; j < count; j++) {
            below += values[j] < values[i];
            equal += values[j] == values[i];
        }
        if (below <= k && k < below + equal)
            return values[i];
    }
    return NAN; /* a value is NaN */
}

struct estimate estimate_of(const double *values, size_t count)
{
    struct estimate estimate = {0};
    assert(count > 0);
    estimate.median =
        (smallest(values, count, (count - 1) / 2) + smallest(values, count, count / 2)) / 2;
    size_t k = 1;
    while (2 * (k + 1) <= count && level_of(count, k + 1) >= LEVEL)
        k++;
    estimate.low = smallest(values, count, k - 1);
    estimate.high = smallest(values, count, count - k);
    estimate.level = count < FEWEST_VALUES ? 0 : level_of(count, k);
    return estimate;
}

void estimate_widen(struct estimate *estimate, double by)
{
    assert(by >= 0);
    estimate->low -= by;
    estimate->high += by;
}

void estimate_add_error(struct estimate *estimate, double error)
{
    assert(error >= 0);
    estimate->low = estimate->median - hypot(estimate->median - estimate->low, error);
    estimate->high = estimate->median + hypot(estimate->high - estimate->median, error);
}

bool estimate_is_significant(const struct estimate *estimate)
{
    return estimate->level > 0 && (estimate->low > 0 || estimate->high < 0);
}
