/* The interval of a wait starts at the last point that has synchronised its two ranks
 * (last_points.h).
 *
 * passes_from is a rule of SCOUT: where several ranks' intervals end in one collective operation,
 * it walks back over the culprit's waits and stops counting a rank one interval start too early. It
 * is kept because our values are compared with SCOUT's. With s_1 <= s_2 <= ... the starts of all
 * other members at the culprit, the costs of the member with s_k go to the culprit's waits from
 * s_(k+1) on; those with s_1 have their whole interval. */
#include "patterns/intervals.h"

#include "base/sort.h"
#include "patterns/last_points.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct finder {
    const struct sync_points *points;
    struct interval *intervals;
    uint32_t *wait_of; /* [end], INDEX_NONE */
    struct last_points *last;
    uint32_t *starts; /* room for all ranks */
};

static uint32_t start_row(const struct sync_points *points, uint32_t start)
{
    return start == INDEX_NONE ? 0 : points->ends[start].event_row + 1;
}

/* How many of the starts are not after `start`. */
static uint32_t starts_until(const uint32_t *starts, uint32_t count, uint32_t start)
{
    uint32_t low = 0;
    while (low < count) {
        uint32_t middle = low + (count - low) / 2;
        if (starts[middle] <= start)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Rows are shifted by one, so that 0 is before the first. */
static void limit_passing(const struct finder *finder, const struct sync_point *point,
                          uint32_t count)
{
    const struct sync_points *points = finder->points;
    qsort(finder->starts, count, sizeof *finder->starts, order_uint32);
    for (uint32_t i = point[0].first_end; i < point[1].first_end; i++) {
        if (finder->wait_of[i] == INDEX_NONE)
            continue;
        struct interval *interval = &finder->intervals[finder->wait_of[i]];
        uint32_t start = start_row(points, interval->culprit_start);
        uint32_t next = starts_until(finder->starts, count, start);
        if (start == finder->starts[0])
            interval->passes_from = 0;
        else
            interval->passes_from = next < count ? finder->starts[next] - 1 : UINT32_MAX;
    }
}

/* Finds the intervals of all ends that wait for the rank at `place`. */
static void find_starts(const struct finder *finder, uint32_t place)
{
    const struct sync_points *points = finder->points;
    uint32_t culprit = points->order[place], count = 0, rank = points->ends[culprit].rank;
    uint32_t last_wait = interval_last_wait(points, rank, points->ends[culprit].enter_row);
    const struct sync_point *point = &points->points[points->ends[culprit].point];
    for (uint32_t i = point[0].first_end; i < point[1].first_end; i++) {
        if (i == culprit)
            continue;
        struct last_point last = last_points_find(finder->last, i);
        finder->starts[count++] = start_row(points, last.mine);
        if (finder->wait_of[i] == INDEX_NONE)
            continue;
        struct interval *interval = &finder->intervals[finder->wait_of[i]];
        *interval = (struct interval){.culprit_start = last.mine, .victim_start = last.theirs};
        interval->first_cause = interval_first_wait(points, last.mine, rank, last_wait);
        interval->cause_count = last_wait - interval->first_cause;
    }
    if (!sync_point_is_pair(point))
        limit_passing(finder, point, count);
}

static bool find_of_rank(const struct finder *finder, uint32_t rank)
{
    const struct sync_points *points = finder->points;
    bool complete = true;
    last_points_begin(finder->last, rank);
    for (uint32_t place = points->first[rank]; place < points->first[rank + 1] && complete;
         place++) {
        uint32_t end = points->order[place];
        if (points->points[points->ends[end].point].culprit == end)
            find_starts(finder, place);
        complete = last_points_pass(finder->last, place);
    }
    return complete;
}

struct interval *intervals_find(const struct sync_points *points)
{
    struct finder finder = {
        .points = points,
        .intervals = calloc((size_t)points->wait_count + 1, sizeof *finder.intervals),
        .wait_of = malloc(((size_t)points->end_count + 1) * sizeof *finder.wait_of),
        .last = last_points_open(points),
        .starts = malloc(((size_t)points->rank_count + 1) * sizeof *finder.starts)};
    bool complete = finder.intervals && finder.wait_of && finder.last && finder.starts;
    if (complete) {
        memset(finder.wait_of, 0xff, points->end_count * sizeof *finder.wait_of);
        for (uint32_t i = 0; i < points->wait_count; i++)
            finder.wait_of[points->waits[i]] = i;
        for (uint32_t rank = 0; rank < points->rank_count && complete; rank++)
            complete = find_of_rank(&finder, rank);
    }
    free(finder.wait_of);
    last_points_close(finder.last);
    free(finder.starts);
    if (!complete) {
        free(finder.intervals);
        return NULL;
    }
    return finder.intervals;
}

uint32_t interval_last_wait(const struct sync_points *points, uint32_t rank, uint32_t row)
{
    assert(rank < points->rank_count);
    uint32_t low = points->first_wait[rank], high = points->first_wait[rank + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sync_wait_end(points, middle)->enter_row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t interval_first_wait(const struct sync_points *points, uint32_t start, uint32_t rank,
                             uint32_t last)
{
    uint32_t first = last;
    if (start == INDEX_NONE)
        return points->first_wait[rank];
    const struct sync_end *from = &points->ends[start];
    bool pair = sync_point_is_pair(&points->points[from->point]);
    for (; first > points->first_wait[rank]; first--) {
        const struct sync_end *wait = sync_wait_end(points, first - 1);
        /* A call that both sends and receives may wait for a third rank; that wait is inside. */
        if (wait->enter_row < from->enter_row ||
            (wait->enter_row == from->enter_row && (!pair || wait->point == from->point)))
            break;
    }
    return first;
}

/* When the operation ends for the first member that it releases. */
static int64_t first_release(const struct sync_points *points, const struct sync_point *point)
{
    bool waiting_only = point->kind == SYNC_ONE_TO_N;
    int64_t first = INT64_MAX;
    for (uint32_t i = point[0].first_end; i < point[1].first_end; i++)
        if (!waiting_only || points->ends[i].wait > 0)
            first = earlier(first, points->ends[i].until);
    return first;
}

void interval_start_times(const struct sync_points *points, const struct interval *interval,
                          int64_t *culprit, int64_t *victim)
{
    assert(interval->culprit_start != INDEX_NONE && interval->victim_start != INDEX_NONE);
    const struct sync_end *c = &points->ends[interval->culprit_start],
                          *v = &points->ends[interval->victim_start];
    const struct sync_point *point = &points->points[c->point];
    int64_t released = earlier(c->until, v->until);
    if (!sync_point_is_pair(point) && point->kind != SYNC_N_TO_ONE)
        released = first_release(points, point);
    *culprit = later(0, c->until - released);
    *victim = later(0, v->until - released);
    if (point->kind != SYNC_LATE_RECEIVER)
        return;
    /* SCOUT's rule: the sender's time counts up to the end of the receive. */
    if (c->wait > 0)
        *culprit = earlier(0, c->until - v->until);
    if (v->wait > 0)
        *victim = earlier(0, v->until - c->until);
}
