#include "structure/strata.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A kind with more than this part of the time of all iterations is a stratum. */
static const double KIND_PART = 0.05;

/* The deviations from the median of a stratum may be this part of the time of all iterations. */
static const double DEVIATION_PART = 0.15;

/* Strata of kinds at most: each but one has more than KIND_PART. Some strata are left for lengths.
 */
enum { KINDS_MAX = 20 };

/* The number of the kind in `list` whose iterations are nearest in length to those of a kind. */
static uint32_t nearest_kind(const struct kind_sum *kinds, uint32_t kind, const uint32_t *list,
                             uint32_t count)
{
    uint32_t nearest = 0;
    double least = INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        if (list[k] == kind)
            return k;
        const double distance =
            fabs(kind_mean_ticks(&kinds[list[k]]) - kind_mean_ticks(&kinds[kind]));
        if (distance < least) {
            least = distance;
            nearest = k;
        }
    }
    return nearest;
}

/* Makes strata of kinds. `kinds` and `of_kind` have room for all kinds. Returns how many there are.
 */
static uint32_t divide_by_kinds(const struct stretch *stretch, struct kind_sum *kinds,
                                uint32_t *of_kind, uint32_t *strata)
{
    const double total = (double)(stretch->bounds[stretch->iterations] - stretch->bounds[0]);
    uint32_t list[KINDS_MAX] = {stretch->kinds[stretch->representative]}, count = 1;
    stretch_sum_kinds(stretch, 0, stretch->iterations, true, kinds);
    for (uint32_t kind = 0; kind < stretch->kind_count && count < KINDS_MAX; kind++)
        if (kind != list[0] && kinds[kind].ticks > KIND_PART * total)
            list[count++] = kind;
    for (uint32_t kind = 0; kind < stretch->kind_count; kind++)
        of_kind[kind] = nearest_kind(kinds, kind, list, count);
    for (size_t i = 0; i < stretch->iterations; i++)
        strata[i] = of_kind[stretch->kinds[i]];
    return count;
}

/* Sets the lengths of a stratum's iterations, ascending. Returns how many there are. */
static size_t sort_lengths(const struct stretch *stretch, const uint32_t *strata, uint32_t stratum,
                           uint64_t *lengths)
{
    size_t count = 0;
    for (size_t i = 0; i < stretch->iterations; i++)
        if (strata[i] == stratum)
            lengths[count++] = stretch_iteration_ticks(stretch, i);
    qsort(lengths, count, sizeof *lengths, order_uint64);
    return count;
}

/* sums[i]: of the first i lengths. The sum of the deviations of lengths from <= i < to from their
 * median. */
static double median_deviations(const uint64_t *sums, size_t from, size_t to)
{
    const size_t middle = from + (to - from) / 2, odd = (to - from) % 2;
    return (double)(sums[to] - sums[middle + odd]) - (double)(sums[middle] - sums[from]);
}

/* How to divide a stratum in two. */
struct stratum_division {
    double deviations; /* of the stratum as a whole */
    uint64_t longest;  /* of the shorter part */
};

/* Finds the division after which the deviations are least. `sums` has room for one more than
 * `lengths`, which are ascending. */
static struct stratum_division best_division(const uint64_t *lengths, size_t count, uint64_t *sums)
{
    sums[0] = 0;
    for (size_t i = 0; i < count; i++)
        sums[i + 1] = sums[i] + lengths[i];
    struct stratum_division best = {median_deviations(sums, 0, count), UINT64_MAX};
    double least = INFINITY;
    for (size_t i = 1; i < count; i++) {
        const double both = median_deviations(sums, 0, i) + median_deviations(sums, i, count);
        if (lengths[i] > lengths[i - 1] && both < least) {
            least = both;
            best.longest = lengths[i - 1];
        }
    }
    return best;
}

/* Moves the longer iterations of a stratum to stratum `added`, or the shorter ones if the
 * representative iteration is in the longer part of stratum 0. */
static void divide_stratum(const struct stretch *stretch, uint64_t longest, uint32_t stratum,
                           uint32_t added, uint32_t *strata)
{
    const bool shorter =
        stratum == 0 && stretch_iteration_ticks(stretch, stretch->representative) > longest;
    for (size_t i = 0; i < stretch->iterations; i++)
        if (strata[i] == stratum && (stretch_iteration_ticks(stretch, i) <= longest) == shorter)
            strata[i] = added;
}

/* Divides strata by length. `lengths` and `sums` have room for one more than all iterations.
 * Returns how many strata there are then. */
static uint32_t divide_by_length(const struct stretch *stretch, uint32_t count, uint64_t *lengths,
                                 uint64_t *sums, uint32_t *strata)
{
    const double total = (double)(stretch->bounds[stretch->iterations] - stretch->bounds[0]);
    for (uint32_t stratum = 0; stratum < count;) {
        const size_t n = sort_lengths(stretch, strata, stratum, lengths);
        const struct stratum_division division = best_division(lengths, n, sums);
        if (division.deviations > DEVIATION_PART * total && division.longest < UINT64_MAX &&
            count < STRATA_MAX)
            divide_stratum(stretch, division.longest, stratum, count++, strata);
        else
            stratum++;
    }
    return count;
}

uint32_t strata_find(const struct stretch *stretch, uint32_t *strata)
{
    assert(stretch->iterations > 0 && stretch->kind_count > 0);
    const size_t n = stretch->iterations + 1;
    struct kind_sum *kinds = malloc(stretch->kind_count * sizeof *kinds);
    uint32_t *of_kind = malloc(stretch->kind_count * sizeof *of_kind);
    uint64_t *lengths = malloc(n * sizeof *lengths), *sums = malloc(n * sizeof *sums);
    uint32_t count = 0;
    if (kinds && of_kind && lengths && sums) {
        count = divide_by_kinds(stretch, kinds, of_kind, strata);
        count = divide_by_length(stretch, count, lengths, sums, strata);
    }
    free(kinds);
    free(of_kind);
    free(lengths);
    free(sums);
    return count;
}
