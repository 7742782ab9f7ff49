/* Delays: by how much longer, call path by call path, the rank that is waited for was busy since
 * the two were last synchronised. */
#ifndef PATTERNS_DELAYS_H
#define PATTERNS_DELAYS_H

#include "patterns/delay_list.h"
#include "patterns/intervals.h"

struct delays {
    int64_t *total;     /* [wait], ticks, on all processes */
    struct bytes lists; /* delay lists, of waits whose culprits are owned */
    size_t *first;      /* [wait], into lists; DELAYS_NONE: the culprit is not owned */
};

#define DELAYS_NONE SIZE_MAX

/* Collective. Clear in any case. */
enum status delays_find(const struct trace *trace, const struct search_rank *ranks,
                        const struct sync_points *points, const struct interval *intervals,
                        struct delays *delays, struct error *error);

void delays_clear(struct delays *delays);

/* Where the delay list of a wait begins; that of an empty one where the culprit is not owned. */
static inline const unsigned char *delays_of(const struct delays *delays, uint32_t wait)
{
    return delays->first[wait] == DELAYS_NONE
               ? (const unsigned char *)""
               : (const unsigned char *)delays->lists.data + delays->first[wait];
}

#endif
