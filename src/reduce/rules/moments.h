/* The differences (difference.h) of moments that are still needed, by number, and the condition
 * under which a call does not need an arrival (doc/methods.md, section 10). A difference is
 * described by
 *
 *   terms   the maximum of a few variables. The effort grows with the number of events. The tracer
 *           uses them.
 *   pairs   the largest distance by which each two moments can move apart. Finds more arrivals that
 *           are not needed. The effort grows with the number of events times that of ranks.
 *
 * Moments with the same number have the same difference. A number has users and is free again when
 * the last user releases it. */
#ifndef REDUCTION_RULES_MOMENTS_H
#define REDUCTION_RULES_MOMENTS_H

#include "reduce/rules/difference.h"

#define MOMENT_START 0 /* the first moments of all ranks; it always exists */

enum moments_kind { MOMENTS_TERMS, MOMENTS_PAIRS };

struct moments;

/* NULL if out of memory. */
struct moments *moments_open(enum moments_kind kind, uint32_t rank_count);
void moments_close(struct moments *moments); /* NULL is allowed */

/* Whether an allocation has failed, or there were more moments at once than pairs can describe
 * (`full`). The numbers that were returned since then have no meaning. */
struct moments_failure {
    bool no_memory, full;
};
struct moments_failure moments_failure(const struct moments *moments);

uint32_t moments_use(struct moments *moments, uint32_t moment); /* returns it */
void moments_release(struct moments *moments, uint32_t moment);

/* The functions below return a moment and make the caller one of its users. `rank` is the rank
 * whose moment it is; pass the rank count for moments that do not belong to a rank. */

/* When something arrives that a call waits for. */
struct moment_arrival {
    uint32_t moment;
    uint32_t index; /* for the caller */
    int64_t time;   /* in the recording */
    bool needless;  /* result: the call ends at the same time without it, under every assumption, as
                       long as all arrivals that are not needless stay */
};

/* A call that waits for arrivals and takes a fixed time after the last of them. */
struct entered_call {
    uint32_t entered;   /* moment at which it is entered */
    int64_t time;       /* the same in the recording */
    int64_t least_wait; /* waits that are at least this long may be left out; INT64_MAX: none */
    bool folds; /* false: an assumption may change the call itself, so no arrival is needless */
};

/* Returns the end of the call and sets `needless` of its arrivals. If its wait may be left out, no
 * arrival is needless. */
uint32_t moments_end_call(struct moments *moments, uint32_t rank, const struct entered_call *call,
                          struct moment_arrival *arrivals, size_t count);

/* Whether the wait of a call may be left out. Times are ticks. */
bool wait_may_shrink(int64_t wait, int64_t least_wait);

/* The latest of at least one moments (difference_latest); sets `needless`. */
uint32_t moments_latest(struct moments *moments, uint32_t rank, struct moment_arrival *arrivals,
                        size_t count);

/* A moment between `low` + below and `high` + above, and a moment that may be at any time
 * (difference_between, difference_unknown). */
uint32_t moments_between(struct moments *moments, uint32_t rank, uint32_t low, int64_t below,
                         uint32_t high, int64_t above);
uint32_t moments_unknown(struct moments *moments, uint32_t rank);

#endif
