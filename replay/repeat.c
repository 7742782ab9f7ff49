#include "replay/repeat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLAIM_LEAST = 5 };
static const double level_wanted = 0.95;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The level of the interval from the k-th smallest to the k-th largest of n (k from 1). */
static double level_of(size_t n, size_t k)
{
    double tail = 0, probability = pow(0.5, (double)n); /* of i successes in n, from i = 0 */
    for (size_t i = 0; i < k; i++) {
        tail += probability;
        probability *= (double)(n - i) / (double)(i + 1);
    }
    return 1 - 2 * tail;
}

static struct interval interval_of_sorted(const double *sorted, size_t n)
{
    size_t k = 1;
    while (2 * (k + 1) <= n && level_of(n, k + 1) >= level_wanted)
        k++;
    return (struct interval){
        .median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2,
        .low = sorted[k - 1],
        .high = sorted[n - k],
        .level = n >= CLAIM_LEAST ? level_of(n, k) : 0,
    };
}

/* Without memory for a sorted copy nothing can be said: not a number. */
struct interval interval_of(const double *samples, size_t count)
{
    if (count == 0)
        return (struct interval){0};
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return (struct interval){NAN, NAN, NAN, 0};
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    struct interval interval = interval_of_sorted(sorted, count);
    free(sorted);
    return interval;
}

static struct interval interval_of_pairs(const double *before, const double *after, size_t count,
                                         bool fractions)
{
    double *differences = malloc((count + 1) * sizeof *differences);
    if (!differences)
        return (struct interval){NAN, NAN, NAN, 0};
    for (size_t i = 0; i < count; i++) {
        differences[i] = before[i] - after[i];
        if (fractions)
            differences[i] = before[i] != 0 ? differences[i] / before[i] : 0;
    }
    struct interval interval = interval_of(differences, count);
    free(differences);
    return interval;
}

struct interval interval_of_savings(const double *before, const double *after, size_t count)
{
    return interval_of_pairs(before, after, count, false);
}

struct interval interval_of_fractions(const double *before, const double *after, size_t count)
{
    return interval_of_pairs(before, after, count, true);
}

struct interval interval_unite(const struct interval *intervals, size_t count)
{
    if (count == 0)
        return (struct interval){0};
    struct interval all = intervals[0];
    double *medians = malloc(count * sizeof *medians);
    for (size_t i = 0; i < count; i++) {
        all.low = fmin(all.low, intervals[i].low);
        all.high = fmax(all.high, intervals[i].high);
        all.level = fmin(all.level, intervals[i].level);
        if (medians)
            medians[i] = intervals[i].median;
    }
    all.median = medians ? median_of(medians, count) : NAN;
    free(medians);
    return all;
}

bool interval_is_significant(const struct interval *interval)
{
    return interval->level > 0 && (interval->low > 0 || interval->high < 0);
}

double median_of(const double *samples, size_t count)
{
    return interval_of(samples, count).median;
}

size_t median_index(const double *samples, size_t count)
{
    double median = median_of(samples, count);
    size_t nearest = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(samples[i] - median) < fabs(samples[nearest] - median))
            nearest = i;
    return nearest;
}
