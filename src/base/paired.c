#include "base/paired.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEWEST_ROUNDS = 7,
    EXACT_MOST = 40, /* beyond, the normal approximation is good to three digits */
    /* Ranks are doubled, so that the mean rank of an odd number of ties is a whole number. */
    SUM_MOST = EXACT_MOST * (EXACT_MOST + 1),
};

static const double LEVEL = 0.95;

/* Of Student's distribution with PAIRED_FEWEST - 1 = 4 degrees of freedom: 95 % are within. */
static const double STUDENT_QUANTILE = 2.7764451;

/* If the median is 0, each rank is on the positive side with probability 1/2. Returns the
 * probability that the sum of the doubled ranks there is at most `sum`. */
static double sum_probability(const int *doubled, size_t count, int sum)
{
    double ways[SUM_MOST + 1] = {1}; /* [sum]: of choosing ranks; at most 2^40, so exact */
    int largest = 0;
    double below = 0;
    assert(count <= EXACT_MOST);
    for (size_t i = 0; i < count; i++) {
        largest += doubled[i];
        for (int s = largest; s >= doubled[i]; s--)
            ways[s] += ways[s - doubled[i]];
    }
    for (int s = 0; s <= sum && s <= largest; s++)
        below += ways[s];
    return below * pow(0.5, (double)count);
}

/* Mean and standard deviation of the sum of positive ranks of n differences, without ties. */
static double sum_mean(double n)
{
    return n * (n + 1) / 4;
}

static double sum_deviation(double n)
{
    return sqrt(n * (n + 1) * (2 * n + 1) / 24);
}

/* The probability that the true median lies outside the k-th smallest and the k-th largest Walsh
 * average: twice that of a sum of ranks below k. */
static double outside(size_t count, size_t k)
{
    int doubled[EXACT_MOST];
    const double n = (double)count;
    if (count > EXACT_MOST)
        return erfc((sum_mean(n) - (double)k + 0.5) / (sum_deviation(n) * M_SQRT2));
    for (size_t i = 0; i < count; i++)
        doubled[i] = 2 * (int)(i + 1);
    return 2 * sum_probability(doubled, count, 2 * (int)(k - 1));
}

/* The largest k, at least 1, whose interval has the level. */
static size_t walsh_bound(size_t count)
{
    const size_t all = count * (count + 1) / 4 + 1;
    return first_where((size_t)2, all, k, 1 - outside(count, k) < LEVEL) - 1;
}

/* How many Walsh averages, the means of each two differences and the differences themselves, are at
 * most `value`. */
static size_t averages_within(const double *differences, size_t count, double value)
{
    size_t within = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++)
            within += (differences[i] + differences[j]) / 2 <= value;
    return within;
}

/* Keys that are in order as the numbers are, and back. */
static uint64_t order_key(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double number_of_key(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* The k-th smallest Walsh average, counted from 1: found by halving the range of numbers, so it
 * needs no memory and cannot fail. */
static double average_at(const double *differences, size_t count, size_t k, double least,
                         double most)
{
    const uint64_t found =
        first_where(order_key(least), order_key(most), key,
                    averages_within(differences, count, number_of_key(key)) >= k);
    return number_of_key(found) + 0.0; /* no -0 */
}

/* Of PAIRED_FEWEST differences: the mean, and its standard error. */
static double few_mean(const double *differences, double *error)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < PAIRED_FEWEST; i++)
        sum += differences[i];
    const double mean = sum / PAIRED_FEWEST;
    for (size_t i = 0; i < PAIRED_FEWEST; i++)
        squares += (differences[i] - mean) * (differences[i] - mean);
    *error = sqrt(squares / (PAIRED_FEWEST - 1) / PAIRED_FEWEST);
    return mean;
}

/* Student's test with 4 degrees of freedom (M. Abramowitz, I. A. Stegun, Handbook of Mathematical
 * Functions, 26.7.4). */
static double few_p_value(const double *differences)
{
    double error;
    const double mean = few_mean(differences, &error);
    const double whole = hypot(mean, 2 * error); /* 2: the root of the degrees of freedom */
    if (whole == 0)
        return 1;
    const double sine = fabs(mean) / whole, cosine = 2 * error / whole;
    return fmax(0, 1 - sine * (1 + cosine * cosine / 2));
}

struct estimate paired_estimate(const double *differences, size_t count)
{
    assert(count > 0);
    struct estimate estimate = estimate_of(differences, count); /* the median */
    double least = differences[0], most = differences[0];
    for (size_t i = 0; i < count; i++) {
        assert(isfinite(differences[i]));
        least = fmin(least, differences[i]);
        most = fmax(most, differences[i]);
    }
    estimate.low = least;
    estimate.high = most;
    if (count < PAIRED_FEWEST)
        return estimate;
    if (count == PAIRED_FEWEST) {
        double error;
        const double mean = few_mean(differences, &error);
        estimate.low = fmin(estimate.median, mean - STUDENT_QUANTILE * error);
        estimate.high = fmax(estimate.median, mean + STUDENT_QUANTILE * error);
        estimate.level = LEVEL;
        return estimate;
    }
    const size_t k = walsh_bound(count), averages = count * (count + 1) / 2;
    estimate.low = fmin(estimate.median, average_at(differences, count, k, least, most));
    estimate.high =
        fmax(estimate.median, average_at(differences, count, averages + 1 - k, least, most));
    estimate.level = 1 - outside(count, k);
    return estimate;
}

/* Twice the mean rank of |differences[i]| among those that are not 0. */
static int doubled_rank(const double *differences, size_t count, size_t i, size_t *ties)
{
    const double size = fabs(differences[i]);
    size_t less = 0, equal = 0;
    for (size_t j = 0; j < count; j++) {
        const double other = fabs(differences[j]);
        less += other != 0 && other < size;
        equal += other == size;
    }
    *ties = equal;
    return (int)(2 * less + equal + 1);
}

/* The two-sided p value for a sum of ranks on one side, `t` of variance v around the mean, with
 * continuity correction. */
static double normal_p_value(double t, double mean, double variance)
{
    double distance = fmax(fabs(t - mean) - 0.5, 0);
    return fmin(1, erfc(distance / sqrt(2 * variance)));
}

double paired_p_value(const double *differences, size_t count)
{
    int doubled[EXACT_MOST];
    size_t n = 0;
    double positive = 0, tied = 0; /* doubled sum of positive ranks; sum of t^3 - t over ties */
    if (count == PAIRED_FEWEST)
        return few_p_value(differences);
    for (size_t i = 0; i < count; i++) {
        size_t ties;
        if (differences[i] == 0)
            continue;
        const int rank = doubled_rank(differences, count, i, &ties);
        if (n < EXACT_MOST)
            doubled[n] = rank;
        n++;
        positive += differences[i] > 0 ? rank : 0;
        tied += (double)ties * (double)ties - 1; /* each of t ties adds its share, t^2 - 1 */
    }
    const double all = (double)n * (double)(n + 1); /* doubled sum of all ranks */
    if (n == 0)
        return 1;
    if (n <= EXACT_MOST)
        return fmin(1, 2 * sum_probability(doubled, n, (int)fmin(positive, all - positive)));
    const double deviation = sum_deviation((double)n);
    return normal_p_value(positive / 2, sum_mean((double)n), deviation * deviation - tied / 48);
}

static int order_pointed(const void *a, const void *b)
{
    return order_double(*(const double *const *)a, *(const double *const *)b);
}

bool holm_significant(const double *p, size_t count, double level, bool *significant)
{
    const double **order = malloc((count ? count : 1) * sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++) {
        order[i] = &p[i];
        significant[i] = false;
    }
    qsort(order, count, sizeof *order, order_pointed);
    for (size_t i = 0; i < count && *order[i] <= level / (double)(count - i); i++)
        significant[order[i] - p] = true;
    free(order);
    return true;
}

size_t paired_rounds_needed(size_t count, double level)
{
    size_t rounds = FEWEST_ROUNDS;
    assert(level > 0);
    while (ldexp((double)count, 1 - (int)rounds) > level)
        rounds++;
    return rounds;
}
