/* Differences (reduce/rules/difference.h) of the moments that the solver still needs, by number.
 * Two descriptions:
 *
 *   terms   the maximum of a few variables, as the tracer has them: its effort grows with the
 * events alone pairs   how far each two moments can move apart, at most: finds more of what folds,
 * but its effort grows with the events and the number of ranks
 *
 * Numbers are shared: moments with equal numbers have the same difference. Each has users, and ends
 * with the last of them. */
#ifndef REDUCTION_MOMENTS_H
#define REDUCTION_MOMENTS_H

#include "reduce/rules/difference.h"

#define MOMENT_START 0 /* of the first moments of all ranks; always there */

enum moments_kind { MOMENTS_TERMS, MOMENTS_PAIRS };

struct moments;

/* NULL when memory is out. */
struct moments *moments_open(enum moments_kind kind, uint32_t rank_count);
void moments_close(struct moments *moments); /* NULL is allowed */

/* Whether memory has run out, or there were more moments at once than pairs can be described
 * (`full`). Then the numbers that were returned since mean nothing. */
struct moments_failure {
    bool no_memory, full;
};
struct moments_failure moments_failure(const struct moments *moments);

uint32_t moments_use(struct moments *moments, uint32_t moment); /* returns it */
void moments_release(struct moments *moments, uint32_t moment);

/* The functions below return a moment of which the caller is a user. `rank` is the one whose moment
 * it is; what belongs to no rank has the rank count. */

/* An arrival: `index` is the caller's, `moment` and `time` as in struct arrival. */
struct moment_arrival {
    uint32_t moment, index;
    int64_t time;
    bool needless; /* result */
};

/* The end of a call (difference_after; sets `needless`), and the latest of several moments
 * (difference_latest). */
uint32_t moments_after(struct moments *moments, uint32_t rank, uint32_t entered, int64_t time,
                       struct moment_arrival *arrivals, size_t count);
uint32_t moments_latest(struct moments *moments, uint32_t rank, struct moment_arrival *arrivals,
                        size_t count);

/* As difference_between and difference_unknown. */
uint32_t moments_between(struct moments *moments, uint32_t rank, uint32_t low, int64_t below,
                         uint32_t high, int64_t above);
uint32_t moments_unknown(struct moments *moments, uint32_t rank);

#endif
