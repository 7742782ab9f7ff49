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
    int64_t *total;     /* [wait], ticks, on all processes */
    struct bytes lists; /* of delays, of waits whose culprits are owned */
    size_t *first;      /* [wait], into lists; DELAYS_NONE: the culprit is not owned */
};

#define DELAYS_NONE SIZE_MAX

/* Collective. Finds the delays of all waits; clear them in any case. */
enum status delays_find(const struct trace *trace, const struct search_rank *ranks,
                        const struct sync_points *points, const struct interval *intervals,
                        struct delays *delays, struct error *error);

void delays_clear(struct delays *delays);

/* The begin of a wait's list of delays; an empty list if the culprit is not owned. */
static inline const unsigned char *delays_of(const struct delays *delays, uint32_t wait)
{
    return delays->first[wait] == DELAYS_NONE
               ? (const unsigned char *)""
               : (const unsigned char *)delays->lists.data + delays->first[wait];
}

/* Reads the delay at `*place` and moves `*place` to the next one. At the end of the list it returns
 * false and moves `*place` behind the list. */
bool delay_list_next(const unsigned char **place, struct delay *delay);

#endif
