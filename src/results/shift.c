#include "results/shift.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { EXACT_MOST = 20 }; /* values on a side; beyond, the normal approximation is good */

static const double LEVEL = 0.98;

/* The probability that at most `u` of the pairs have the later value below, if all values come from
 * one distribution. The number of orders in which exactly u pairs do is the coefficient of q^u in
 * the product over i = 1 .. a of (1 - q^(b + i)) / (1 - q^i); there are at most C(40, 20) orders,
 * so the sums are exact. */
static double exact_probability(size_t a, size_t b, size_t u)
{
    double ways[EXACT_MOST * EXACT_MOST + 1] = {1};
    double orders = 1, within = 0;
    const size_t most = a * b;
    for (size_t i = 1; i <= a; i++) {
        for (size_t s = most; s >= b + i; s--)
            ways[s] -= ways[s - b - i];
        for (size_t s = i; s <= most; s++)
            ways[s] += ways[s - i];
        orders *= (double)(b + i) / (double)i;
    }
    for (size_t s = 0; s <= u && s <= most; s++)
        within += ways[s];
    return within / orders;
}

static double probability(size_t a, size_t b, size_t u)
{
    const double mean = (double)a * (double)b / 2, deviation = sqrt(mean * (double)(a + b + 1) / 6);
    if (a <= EXACT_MOST && b <= EXACT_MOST)
        return exact_probability(a, b, u);
    return 0.5 * erfc((mean - (double)u - 0.5) / (deviation * M_SQRT2));
}

/* The interval from the k-th smallest to the k-th largest pair misses the true shift if fewer than
 * k pairs are on one side of it. Returns the largest k with the level; 0: none has it. */
static size_t largest_bound(size_t after, size_t before)
{
    const size_t most = after * before / 2 + 1;
    return first_where((size_t)1, most, k, 1 - 2 * probability(after, before, k - 1) < LEVEL) - 1;
}

struct estimate shift_estimate(double *pairs, size_t after, size_t before)
{
    const size_t count = after * before;
    assert(count > 0);
    qsort(pairs, count, sizeof *pairs, order_double);
    const size_t k = largest_bound(after, before);
    const double middle = pairs[(count - 1) / 2], next = pairs[count / 2];
    return (struct estimate){.median = middle == next ? middle : (middle + next) / 2,
                             .low = pairs[k > 0 ? k - 1 : 0],
                             .high = pairs[k > 0 ? count - k : count - 1],
                             .level = k > 0 ? 1 - 2 * probability(after, before, k - 1) : 0};
}
