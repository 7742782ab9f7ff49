/* Delays: by how much longer, call path by call path, the rank that is waited for was busy since
 * the two were last synchronised. */
#ifndef PATTERNS_DELAYS_H
#define PATTERNS_DELAYS_H

#include "patterns/intervals.h"

struct delay { /* of one wait at one call path of its culprit */
    int64_t ticks;
    uint32_t path;
};

struct delays {
    int64_t *total;         /* [wait], ticks, on all processes */
    ARRAY(struct delay) of; /* those of the owned culprits */
    size_t *first;          /* [wait + 1] into `of`: empty where the culprit is not owned */
};

/* Collective. Clear in any case. */
enum status delays_find(const struct trace *trace, const struct search_rank *ranks,
                        const struct sync_points *points, const struct interval *intervals,
                        struct delays *delays, struct error *error);

void delays_clear(struct delays *delays);

#endif
