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
#include <string.h>

int64_t interval_excess(const struct sync_points *points, const struct interval *interval,
                        int64_t delay)
{
    const int64_t *waited = points->waited + interval->first_cause;
    return delay + waited[interval->cause_count] - waited[0];
}

/* What looks at the waits, from the last to the first. */
struct looker {
    const struct sync_points *points;
    struct long_term *long_term;
    uint32_t place[SYNC_KIND_COUNT]; /* [kind], into long_term->kinds */
};

static void pass_back(const struct looker *looker, const struct interval *interval, uint32_t wait,
                      enum sync_kind kind, double excess)
{
    const struct sync_points *points = looker->points;
    struct long_term *all = looker->long_term;
    const struct wait_costs *from = &all->costs[wait];
    const double *passed = &all->passed[(size_t)wait * all->kind_count];
    for (uint32_t i = 0; i < interval->cause_count; i++) {
        uint32_t number = interval->first_cause + i;
        const struct sync_end *cause = &points->ends[points->waits[number]];
        struct wait_costs *to = &all->costs[number];
        double *to_passed = &all->passed[(size_t)number * all->kind_count];
        double ticks = (double)cause->wait;
        if (cause->event_row < interval->passes_from)
            continue;
        to_passed[looker->place[kind]] += ticks * from->scale;
        for (uint32_t k = 0; k < all->kind_count; k++)
            to_passed[k] += ticks * passed[k] / excess;
        if (sync_kind_is_message(kind) && ticks * from->scale > to->propagating)
            to->propagating = ticks * from->scale;
    }
}

static void look_at(const struct looker *looker, const struct interval *interval, int64_t delay,
                    uint32_t wait)
{
    const struct sync_points *points = looker->points;
    const struct sync_end *victim = &points->ends[points->waits[wait]];
    struct wait_costs *own = &looker->long_term->costs[wait];
    int64_t excess = interval_excess(points, interval, delay);
    if (excess <= 0)
        return;
    own->scale = (double)victim->wait / (double)excess;
    if (sync_point_is_pair(&points->points[victim->point]) && own->scale > 1)
        own->scale = 1;
    pass_back(looker, interval, wait, sync_kind_of(points, victim), (double)excess);
}

static void find_kinds(struct looker *looker)
{
    const struct sync_points *points = looker->points;
    struct long_term *all = looker->long_term;
    bool there[SYNC_KIND_COUNT] = {false};
    for (uint32_t wait = 0; wait < points->wait_count; wait++)
        there[sync_kind_of(points, &points->ends[points->waits[wait]])] = true;
    for (enum sync_kind kind = SYNC_NONE + 1; kind < SYNC_KIND_COUNT; kind++) {
        looker->place[kind] = all->kind_count;
        if (there[kind])
            all->kinds[all->kind_count++] = kind;
    }
}

bool long_term_find(const struct sync_points *points, const struct interval *intervals,
                    const struct delays *delays, struct long_term *long_term)
{
    size_t waits = points->wait_count;
    struct looker looker = {.points = points, .long_term = long_term};
    memset(long_term, 0, sizeof *long_term);
    find_kinds(&looker);
    long_term->costs = calloc(waits + 1, sizeof *long_term->costs);
    long_term->passed = calloc(waits * long_term->kind_count + 1, sizeof *long_term->passed);
    if (!long_term->costs || !long_term->passed)
        return false;
    for (uint32_t i = points->wait_count; i-- > 0;) {
        uint32_t wait = points->by_time[i];
        look_at(&looker, &intervals[wait], delays->total[wait], wait);
    }
    return true;
}

void long_term_clear(struct long_term *long_term)
{
    free(long_term->costs);
    free(long_term->passed);
    memset(long_term, 0, sizeof *long_term);
}
