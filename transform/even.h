/* The arithmetic of balanced computation (transform/balance.c, which says what the modes are):
 * exact, on whole ticks. Also in pages (live/program.h). */
#ifndef TRANSFORM_EVEN_H
#define TRANSFORM_EVEN_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* A visit of the balanced region. */
struct balanced_visit {
    uint64_t own;    /* computation before the change, ticks */
    uint64_t target; /* computation after the change, ticks */
};

static inline uint64_t visits_own_total(const struct balanced_visit *visits, size_t count)
{
    uint64_t total = 0;
    for (size_t k = 0; k < count; k++)
        total += visits[k].own;
    return total;
}

/* mean over `ranks` ranks, to the nearest tick */
static inline uint64_t mean_of_ranks(uint64_t total, uint64_t ranks)
{
    assert(ranks > 0);
    return (total + ranks / 2) / ranks;
}

/* The targets of a rank's visits, whose sum is `mean`: each visit is scaled by mean / total; if the
 * total is zero, all visits get equal parts. */
static inline void visits_share_mean(struct balanced_visit *visits, size_t count, uint64_t mean)
{
    const uint64_t total = visits_own_total(visits, count);
    uint64_t measured = 0, given = 0;
    for (size_t k = 0; k < count; k++) {
        measured += visits[k].own;
        const uint64_t upto =
            total > 0 ? (uint64_t)(((unsigned __int128)mean * measured + total / 2) / total)
                      : (uint64_t)((unsigned __int128)mean * (k + 1) / count);
        visits[k].target = upto - given;
        given = upto;
    }
}

/* The changed computation of a visit up to a point, of which `measured` ticks are before it in the
 * unchanged visit. */
static inline uint64_t visit_changed(const struct balanced_visit *visit, uint64_t measured)
{
    assert(visit->own > 0 && measured <= visit->own);
    return (uint64_t)(((unsigned __int128)visit->target * measured + visit->own / 2) / visit->own);
}

/* Makes sums[k], the sum of ticks of ranks[k] ranks, their mean. The mean of ticks is rarely whole:
 * the remainder is carried to the next one, so that the sum over all k is right. Where ranks[k] is
 * 0, sums[k] stays as it is. */
static inline void means_round(int64_t *sums, const int64_t *ranks, size_t count)
{
    int64_t carried = 0, before = 0; /* in units of 1 / ranks of a tick */
    for (size_t k = 0; k < count; k++) {
        if (ranks[k] == 0)
            continue;
        assert(ranks[k] > 0);
        carried = before == 0 ? ranks[k] / 2 : carried * ranks[k] / before;
        before = ranks[k];
        const int64_t amount = sums[k] + carried;
        sums[k] = amount / ranks[k];
        carried = amount % ranks[k];
    }
}

#endif
