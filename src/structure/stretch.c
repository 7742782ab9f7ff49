#include "structure/stretch.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_ALIKE = 4 }; /* iterations of a kind: too few to tell which are perturbed */

/* Iterations whose length differs from the median of their like by more than this many median
 * absolute deviations are perturbed, unless it is close: within this part of the median. */
static const double DEVIATIONS = 5, CLOSE = 0.05;

void stretch_sum_kinds(const struct stretch *stretch, size_t from, size_t to, bool perturbed,
                       struct kind_sum *kinds)
{
    for (uint32_t kind = 0; kind < stretch->kind_count; kind++)
        kinds[kind] = (struct kind_sum){0};
    for (size_t i = from; i < to; i++) {
        if (stretch->perturbed[i] && !perturbed)
            continue;
        kinds[stretch->kinds[i]].count++;
        kinds[stretch->kinds[i]].ticks += (double)stretch_iteration_ticks(stretch, i);
    }
}

/* The median of `count` values, which are sorted. */
static double median_of(const uint64_t *values, size_t count)
{
    return count % 2 ? (double)values[count / 2]
                     : ((double)values[count / 2 - 1] + (double)values[count / 2]) / 2;
}

/* Marks iterations of one kind that buffers were flushed in. If that happened in most of them, it
 * is usual. */
static void mark_flushed(struct stretch *stretch, uint32_t kind)
{
    size_t all = 0, flushed = 0;
    for (size_t i = 0; i < stretch->iterations; i++) {
        all += stretch->kinds[i] == kind;
        flushed += stretch->kinds[i] == kind && stretch->flushed[i];
    }
    for (size_t i = 0; i < stretch->iterations && 2 * flushed < all; i++)
        stretch->perturbed[i] |= stretch->kinds[i] == kind && stretch->flushed[i];
}

/* Marks iterations of one kind whose length is far from that of the others that are not perturbed.
 * `lengths` has room for all iterations. */
static void mark_unusual(struct stretch *stretch, uint32_t kind, uint64_t *lengths)
{
    size_t count = 0;
    for (size_t i = 0; i < stretch->iterations; i++)
        if (stretch->kinds[i] == kind && !stretch->perturbed[i])
            lengths[count++] = stretch_iteration_ticks(stretch, i);
    if (count < FEW_ALIKE)
        return;
    qsort(lengths, count, sizeof *lengths, order_uint64);
    const double median = median_of(lengths, count);
    if (median == 0) /* ranks are further apart than iterations are long: bounds coincide */
        return;
    for (size_t i = 0; i < count; i++)
        lengths[i] = (uint64_t)fabs((double)lengths[i] - median);
    qsort(lengths, count, sizeof *lengths, order_uint64);
    const double most = fmax(DEVIATIONS * median_of(lengths, count), CLOSE * median);
    for (size_t i = 0; i < stretch->iterations; i++) {
        const double length = (double)stretch_iteration_ticks(stretch, i);
        stretch->perturbed[i] |= stretch->kinds[i] == kind && fabs(length - median) > most;
    }
}

size_t stretch_kind_measure(const struct stretch *stretch, uint32_t kind, double *period)
{
    size_t all = 0, count = 0;
    double sum = 0;
    for (size_t i = 0; i < stretch->iterations; i++) {
        if (stretch->kinds[i] != kind)
            continue;
        all++;
        if (stretch->perturbed[i])
            continue;
        sum += (double)stretch_iteration_ticks(stretch, i);
        count++;
    }
    if (period)
        *period = count > 0 ? sum / (double)count : 0;
    return all;
}

bool stretch_measure_lengths(struct stretch *stretch)
{
    const size_t n = stretch->iterations;
    uint64_t *lengths = malloc(n * sizeof *lengths);
    struct kind_sum *like = malloc(stretch->kind_count * sizeof *like);
    double *ratios = malloc(n * sizeof *ratios), sum = 0;
    size_t count = 0;
    assert(n > 0 && stretch->kinds && stretch->flushed && stretch->perturbed);
    const bool allocated = lengths && like && ratios;
    if (allocated)
        memset(stretch->perturbed, 0, n * sizeof *stretch->perturbed);
    for (uint32_t kind = 0; kind < stretch->kind_count && allocated; kind++) {
        mark_flushed(stretch, kind);
        mark_unusual(stretch, kind, lengths);
    }
    if (allocated)
        stretch_sum_kinds(stretch, 0, n, false, like);
    for (size_t i = 0; i < n && allocated; i++) {
        const double length = (double)stretch_iteration_ticks(stretch, i);
        if (stretch->perturbed[i])
            continue;
        const double mean = kind_mean_ticks(&like[stretch->kinds[i]]);
        sum += length;
        ratios[count++] = mean > 0 ? length / mean : 1;
    }
    if (allocated) {
        assert(count > 0); /* the median of those that were not flushed is not perturbed */
        stretch->perturbed_count = n - count;
        stretch->period = sum / (double)count;
        qsort(ratios, count, sizeof *ratios, order_double);
        stretch->shortest = stretch->period * ratios[0];
        stretch->longest = stretch->period * ratios[count - 1];
        stretch->lower_quartile = stretch->period * ratios[(count - 1) / 4];
        stretch->upper_quartile = stretch->period * ratios[(3 * count - 2) / 4];
    }
    free(lengths);
    free(like);
    free(ratios);
    return allocated;
}
