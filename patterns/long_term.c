/* With D the sum of a wait's delays and W that of its culprit's own waits in the interval (METHODS
 * 8; Boehme et al., see intervals.h):
 *
 *     scale       = wait / (D + W), not more than 1 where one waits for one other
 *     indirect    = scale x W
 *     short term  : the delay d costs d x scale
 *     long term   : the delay d costs d x passed / (D + W)
 *
 * where each of the culprit's waits w gets its share of both: passed(w) grows by w x scale (of the
 * kind of the wait) and by w x passed / (D + W). So waits are looked at from the last to the first,
 * in order of the time at which their culprits come. propagating is the largest w x scale over the
 * messages that are waited for. */
#include "patterns/long_term.h"

#include <stdlib.h>

int64_t interval_excess(const struct sync_points *points, const struct interval *interval,
                        int64_t delay)
{
    const int64_t *waited = points->waited + interval->first_cause;
    return delay + waited[interval->cause_count] - waited[0];
}

static void pass_back(const struct sync_points *points, const struct interval *interval,
                      const struct wait_costs *from, struct wait_costs *costs, enum sync_kind kind,
                      double excess)
{
    for (uint32_t i = 0; i < interval->cause_count; i++) {
        const struct sync_end *cause = &points->ends[points->waits[interval->first_cause + i]];
        struct wait_costs *to = &costs[interval->first_cause + i];
        double wait = (double)cause->wait;
        if (cause->event_row < interval->passes_from)
            continue;
        to->passed[kind - 1] += wait * from->scale;
        for (int k = 0; k < WAIT_KINDS; k++)
            to->passed[k] += wait * from->passed[k] / excess;
        if (sync_kind_is_message(kind) && wait * from->scale > to->propagating)
            to->propagating = wait * from->scale;
    }
}

static void look_at(const struct sync_points *points, const struct interval *interval,
                    int64_t delay, uint32_t wait, struct wait_costs *costs)
{
    const struct sync_end *victim = &points->ends[points->waits[wait]];
    enum sync_kind kind = sync_kind_of(points, victim);
    struct wait_costs *own = &costs[wait];
    int64_t excess = interval_excess(points, interval, delay);
    if (excess <= 0)
        return;
    own->scale = (double)victim->wait / (double)excess;
    if (sync_point_is_pair(&points->points[victim->point]) && own->scale > 1)
        own->scale = 1;
    pass_back(points, interval, own, costs, kind, (double)excess);
}

struct wait_costs *long_term_costs(const struct sync_points *points,
                                   const struct interval *intervals, const struct delays *delays)
{
    struct wait_costs *costs = calloc((size_t)points->wait_count + 1, sizeof *costs);
    for (uint32_t i = points->wait_count; costs && i-- > 0;) {
        uint32_t wait = points->by_time[i];
        look_at(points, &intervals[wait], delays->total[wait], wait, costs);
    }
    return costs;
}
