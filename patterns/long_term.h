/* Costs that are passed back: a delay makes others wait, who so make others wait. */
#ifndef PATTERNS_LONG_TERM_H
#define PATTERNS_LONG_TERM_H

#include "patterns/delays.h"

struct wait_costs {
    double scale;       /* of the delays: their short-term costs */
    double propagating; /* ticks of it that make others wait for a message */
};

/* The same on all processes. */
struct long_term {
    struct wait_costs *costs; /* [wait] */
    double *passed; /* [wait * kind_count + i], ticks of others' waits of kinds[i] that it causes */
    enum sync_kind kinds[SYNC_KIND_COUNT]; /* those of which there are waits */
    uint32_t kind_count;
};

/* False when memory is out. Clear in any case. */
bool long_term_find(const struct sync_points *points, const struct interval *intervals,
                    const struct delays *delays, struct long_term *long_term);

void long_term_clear(struct long_term *long_term);

/* The sum of the delays and of the culprit's own waits in the interval, ticks. */
int64_t interval_excess(const struct sync_points *points, const struct interval *interval,
                        int64_t delay);

#endif
