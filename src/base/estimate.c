#include "base/estimate.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_VALUES = 5 };

static const double LEVEL = 0.95;

/* The true median lies outside the k-th smallest .. k-th largest of n values when fewer than k fall
 * on one side of it: 2 * sum_{i < k} C(n, i) / 2^n. */
static double level_of(size_t n, size_t k)
{
    double term = pow(0.5, (double)n), outside = 0;
    for (size_t i = 0; i < k; i++) {
        outside += 2 * term;
        term *= (double)(n - i) / (double)(i + 1);
    }
    return 1 - outside;
}

struct estimate estimate_of(const double *values, size_t count)
{
    struct estimate estimate = {0};
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted) { /* some values, unsorted, are no estimate: say so */
        estimate.median = estimate.low = estimate.high = NAN;
        return estimate;
    }
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, order_double);
    estimate.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    size_t k = 1;
    while (2 * (k + 1) <= count && level_of(count, k + 1) >= LEVEL)
        k++;
    estimate.low = sorted[k - 1];
    estimate.high = sorted[count - k];
    estimate.level = count < FEWEST_VALUES ? 0 : level_of(count, k);
    free(sorted);
    return estimate;
}

void estimate_widen(struct estimate *estimate, double by)
{
    estimate->low -= by;
    estimate->high += by;
}

bool estimate_is_significant(const struct estimate *estimate)
{
    return estimate->level > 0 && (estimate->low > 0 || estimate->high < 0);
}
