/* Delays: at each call path, by how much longer the culprit of a wait was busy than its victim
 * since the two were last synchronised. */
#ifndef PATTERNS_DELAYS_H
#define PATTERNS_DELAYS_H

#include "base/bytes.h"
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

/* Where the list of a wait's delays begins; that of an empty one where the culprit is not owned. */
static inline const unsigned char *delays_of(const struct delays *delays, uint32_t wait)
{
    return delays->first[wait] == DELAYS_NONE
               ? (const unsigned char *)""
               : (const unsigned char *)delays->lists.data + delays->first[wait];
}

/* Reads the next delay of the list at `*place` and moves `*place` behind it. False at the end of
 * the list, which is passed then. */
bool delay_list_next(const unsigned char **place, struct delay *delay);

#endif
