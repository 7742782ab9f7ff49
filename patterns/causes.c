/* Finds all causes of waits, and passes costs back.
 *
 * With D the sum of a wait's delays and W that of its culprit's own waits in the interval
 * (doc/methods.md, section 8; Boehme et al., see intervals.h):
 *
 *     scale       = wait / (D + W), at most 1 where one rank waits for one other
 *     indirect    = scale x W
 *     short term  : the delay d costs d x scale
 *     long term   : the delay d costs d x passed / (D + W)
 *
 * Each of the culprit's waits w gets its share of both: passed(w) grows by w x scale (of the kind
 * of the wait) and by w x passed / (D + W). So waits are handled from the last to the first, in
 * order of the arrival of their culprits, and what has been passed to a wait is kept only until its
 * turn: the waits of an interval are over before its own. With wrong clocks a wait may receive
 * something after its turn, which is not passed further. */
#include "patterns/causes.h"

#include "base/array.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status causes_find(const struct trace *trace, struct search_rank *ranks,
                        struct sync_collector *collector, struct causes *causes,
                        struct error *error)
{
    memset(causes, 0, sizeof *causes);
    causes->trace = trace;
    enum status status = sync_collect_pairs(trace, ranks, collector, error);
    memory_give_back(); /* memory of the ranks that only the pairs needed */
    if (status == STATUS_OK)
        status = sync_points_make(trace, ranks, collector, &causes->points, error);
    if (status != STATUS_OK)
        return status;
    status = intervals_find(&causes->points, &causes->interval_memory, error);
    causes->intervals = causes->interval_memory.data;
    sync_points_forget_order(&causes->points);
    if (status == STATUS_OK)
        status =
            delays_find(trace, ranks, &causes->points, causes->intervals, &causes->delays, error);
    return status;
}

void causes_clear(struct causes *causes)
{
    delays_clear(&causes->delays);
    host_memory_close(&causes->interval_memory);
    sync_points_clear(&causes->points);
    memset(causes, 0, sizeof *causes);
}

/* --- what delays and waits cost --------------------------------------------------------------- */

int64_t wait_caused(const struct causes *causes, uint32_t wait)
{
    assert(wait < causes->points.wait_count);
    const struct interval *interval = &causes->intervals[wait];
    const int64_t *waited = causes->points.waited + interval->first_cause;
    return waited[interval->cause_count] - waited[0];
}

int64_t wait_excess(const struct causes *causes, uint32_t wait)
{
    return causes->delays.total[wait] + wait_caused(causes, wait);
}

double wait_scale(const struct causes *causes, uint32_t wait)
{
    const struct sync_points *points = &causes->points;
    const struct sync_end *victim = sync_wait_end(points, wait);
    int64_t excess = wait_excess(causes, wait);
    if (excess <= 0)
        return 0;
    double scale = (double)victim->wait / (double)excess;
    return sync_point_is_pair(&points->points[victim->point]) && scale > 1 ? 1 : scale;
}

/* --- waits whose turn has not come ------------------------------------------------------------ */

struct passed { /* ticks by kind of wait */
    double ticks[SYNC_KIND_COUNT];
};

/* What has been passed to waits so far. Few waits have something at a time, so that the number of
 * its place is all that is kept for each wait. */
struct pending {
    uint32_t *place;             /* [wait], into items; 0: nothing */
    ARRAY(struct passed) items;  /* the first is not used */
    ARRAY(uint32_t) free_places; /* of items */
};

static bool pending_open(struct pending *pending, uint32_t wait_count)
{
    memset(pending, 0, sizeof *pending);
    pending->place = calloc((size_t)wait_count + 1, sizeof *pending->place);
    return pending->place && array_push(&pending->items, (struct passed){0});
}

static void pending_close(struct pending *pending)
{
    free(pending->place);
    free(pending->items.items);
    free(pending->free_places.items);
}

/* What has been passed to the wait so far, until the next call; NULL when memory is out. */
static struct passed *passed_to(struct pending *pending, uint32_t wait)
{
    uint32_t *place = &pending->place[wait];
    if (*place == 0 && pending->free_places.count) {
        *place = pending->free_places.items[--pending->free_places.count];
        pending->items.items[*place] = (struct passed){0};
    } else if (*place == 0) {
        if (!array_push(&pending->items, (struct passed){0}))
            return NULL;
        *place = (uint32_t)pending->items.count - 1;
    }
    return &pending->items.items[*place];
}

/* Takes away what has been passed to the wait. False when memory is out. */
static bool take_passed(struct pending *pending, uint32_t wait, struct passed *passed)
{
    const uint32_t place = pending->place[wait];
    pending->place[wait] = 0;
    *passed = pending->items.items[place];
    return place == 0 || array_push(&pending->free_places, place);
}

/* --- passing back ----------------------------------------------------------------------------- */

/* Passes the wait's own costs, and its share of what it has received, to the waits of its culprit.
 * False when memory is out. */
static bool pass_on(const struct causes *causes, uint32_t wait, const struct passed *passed,
                    struct pending *pending)
{
    const struct sync_points *points = &causes->points;
    const struct interval *interval = &causes->intervals[wait];
    enum sync_kind kind = sync_kind_of(points, sync_wait_end(points, wait));
    double excess = (double)wait_excess(causes, wait), scale = wait_scale(causes, wait);
    for (uint32_t i = 0; i < interval->cause_count && excess > 0; i++) {
        uint32_t number = interval->first_cause + i;
        const struct sync_end *cause = sync_wait_end(points, number);
        double ticks = (double)cause->wait;
        if (cause->event_row < interval->passes_from)
            continue;
        struct passed *to = passed_to(pending, number);
        if (!to)
            return false;
        to->ticks[kind] += ticks * scale;
        for (uint32_t k = 0; k < SYNC_KIND_COUNT; k++)
            to->ticks[k] += ticks * passed->ticks[k] / excess;
    }
    return true;
}

bool long_term_pass_back(const struct causes *causes, long_term_taker *take, void *data)
{
    const struct sync_points *points = &causes->points;
    struct pending pending;
    struct passed passed;
    bool complete = pending_open(&pending, points->wait_count);
    for (uint32_t i = points->wait_count; i-- > 0 && complete;) {
        const uint32_t wait = points->by_time[i];
        const bool any = pending.place[wait] != 0;
        complete = take_passed(&pending, wait, &passed) && pass_on(causes, wait, &passed, &pending);
        if (any && complete)
            take(data, wait, passed.ticks);
    }
    for (uint32_t wait = 0; wait < points->wait_count && complete; wait++)
        if (pending.place[wait])
            take(data, wait, pending.items.items[pending.place[wait]].ticks);
    pending_close(&pending);
    return complete;
}
