/* Costs that are passed back: a delay makes others wait, who so make others wait. */
#ifndef PATTERNS_LONG_TERM_H
#define PATTERNS_LONG_TERM_H

#include "patterns/delays.h"

enum { WAIT_KINDS = SYNC_KIND_COUNT - 1 };

struct wait_costs {
    double scale;              /* of the delays: their short-term costs */
    double passed[WAIT_KINDS]; /* [kind - 1], ticks of others' waits that this one causes */
    double propagating;        /* ticks of it that make others wait for a message */
};

/* One for each wait, the same on all processes; free them. NULL when memory is out. */
struct wait_costs *long_term_costs(const struct sync_points *points,
                                   const struct interval *intervals, const struct delays *delays);

/* The sum of the delays and of the culprit's own waits in the interval, ticks. */
int64_t interval_excess(const struct sync_points *points, const struct interval *interval,
                        int64_t delay);

#endif
