/* Delays: at each call path, how much longer the culprit of a wait was busy than its victim since
 * their last synchronisation. */
#ifndef PATTERNS_DELAYS_H
#define PATTERNS_DELAYS_H

#include "base/array.h"
#include "patterns/intervals.h"

struct delay {
    int64_t ticks; /* > 0 */
    uint32_t path;
};

struct delays {
    int64_t *total;            /* [wait], ticks */
    size_t *first;             /* [wait], into the lists of the process that owns the culprit */
    struct host_memory memory; /* of both */
    struct bytes lists;        /* of delays, of waits whose culprits are owned */
};

/* Collective. Finds the delays of all waits; clear them in any case. */
enum status delays_find(const struct trace *trace, const struct search_rank *ranks,
                        const struct sync_points *points, const struct interval *intervals,
                        struct delays *delays, struct error *error);

void delays_clear(struct delays *delays);

/* The begin of the list of delays of a wait whose culprit is owned. */
static inline const unsigned char *delays_of(const struct delays *delays, uint32_t wait)
{
    return (const unsigned char *)delays->lists.data + delays->first[wait];
}

/* Reads the delay at `*place` and moves `*place` to the next one. At the end of the list it returns
 * false and moves `*place` behind the list. */
bool delay_list_next(const unsigned char **place, struct delay *delay);

#endif
