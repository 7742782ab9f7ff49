/* The interval of a wait starts at the last point that has synchronised its two ranks.
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

static const char purpose[] = "causes of waits"; /* of memory */

/* Bounds of an exchange round: a process exchanges its open searches with the others when it has
 * LEAST_OPEN of them (or of starts), and one more per ENDS_PER_OPEN ends. This keeps the number of
 * rounds small, and the memory small in comparison with that of the ends. */
enum { LEAST_OPEN = 1 << 16, ENDS_PER_OPEN = 4 };

/* An operation whose starts are not all known yet. */
struct started {
    uint32_t first_start, start_count; /* into `starts` */
    uint32_t first_caused, caused_count;
};

struct interval_finder {
    const struct sync_points *points;
    struct caused_waits *caused;
    struct last_points last;
    ARRAY(uint32_t) starts; /* rows at the culprits, by tag */
    ARRAY(struct started) operations;
    size_t most_open;     /* searches, or starts */
    uint32_t rank, place; /* of the next end: an owned rank's index, a place in points->order */
};

void caused_waits_clear(struct caused_waits *caused)
{
    free(caused->all);
    free(caused->first);
    memset(caused, 0, sizeof *caused);
}

static uint32_t start_row(const struct sync_points *points, uint32_t start)
{
    return start == INDEX_NONE ? 0 : points->ends[start].event_row + 1;
}

/* The first tag is a wait, the second a start. */
static void store_start(void *data, const struct last_search *search, uint32_t mine,
                        const struct sync_end *theirs)
{
    struct interval_finder *finder = data;
    const struct sync_points *points = finder->points;
    if (search->tags[1] != INDEX_NONE)
        finder->starts.items[search->tags[1]] = start_row(points, mine);
    if (search->tags[0] == INDEX_NONE)
        return;
    struct caused_wait *caused = &finder->caused->all[search->tags[0]];
    const struct sync_end *culprit = sync_culprit(points, &points->ends[caused->end]);
    caused->culprit_start = mine;
    if (mine != INDEX_NONE) {
        caused->victim_start = theirs->enter_row;
        caused->victim_until = theirs->until;
    }
    const struct interval_start start = interval_culprit_start(points, caused);
    const uint32_t last = sync_wait_from(points, culprit->rank, culprit->enter_row, 0);
    caused->first_cause = interval_first_wait(points, &start, culprit->rank, last);
    caused->cause_count = last - caused->first_cause;
}

/* How many of the starts are not after `start`. */
static uint32_t starts_until(const uint32_t *starts, uint32_t count, uint32_t start)
{
    return first_where(0, count, i, starts[i] > start);
}

/* Rows are shifted by one, so that 0 is before the first. */
static void limit_passing(struct interval_finder *finder, const struct started *operation)
{
    uint32_t *starts = finder->starts.items + operation->first_start;
    const uint32_t count = operation->start_count;
    assert(count > 0 || operation->caused_count == 0);
    qsort(starts, count, sizeof *starts, order_uint32);
    for (uint32_t i = 0; i < operation->caused_count; i++) {
        struct caused_wait *caused = &finder->caused->all[operation->first_caused + i];
        const uint32_t start = start_row(finder->points, caused->culprit_start);
        const uint32_t next = starts_until(starts, count, start);
        if (start == starts[0])
            caused->passes_from = 0;
        else
            caused->passes_from = next < count ? starts[next] - 1 : UINT32_MAX;
    }
}

/* Searches the interval of one end at the culprit's point. */
static bool search_end(struct interval_finder *finder, uint32_t place, uint32_t end, bool starts)
{
    uint32_t tags[2] = {INDEX_NONE, INDEX_NONE};
    if (starts) {
        tags[1] = (uint32_t)finder->starts.count;
        if (!array_push(&finder->starts, (uint32_t)0))
            return false;
    }
    if (finder->points->ends[end].wait > 0) {
        tags[0] = finder->caused->count++;
        finder->caused->all[tags[0]] = (struct caused_wait){.end = end};
    }
    return last_points_search(&finder->last, place, end, tags);
}

/* Searches the intervals of all ends that wait for the rank at `place`. */
static bool search_point(struct interval_finder *finder, uint32_t place)
{
    const struct sync_points *points = finder->points;
    const uint32_t culprit = points->order[place];
    const struct sync_point *point = &points->points[points->ends[culprit].point];
    assert(point->culprit == culprit);
    const bool is_pair = sync_point_is_pair(point);
    struct started operation = {.first_start = (uint32_t)finder->starts.count,
                                .first_caused = finder->caused->count};
    bool allocated = true;
    for (uint32_t i = point[0].first_end; i < point[1].first_end && allocated; i++)
        allocated = i == culprit || search_end(finder, place, i, !is_pair);
    operation.start_count = (uint32_t)finder->starts.count - operation.first_start;
    operation.caused_count = finder->caused->count - operation.first_caused;
    return allocated && (is_pair || array_push(&finder->operations, operation));
}

/* Passes ends until all are passed, or many searches are open. False if out of memory. */
static bool pass_some(struct interval_finder *finder)
{
    const struct sync_points *points = finder->points;
    bool allocated = true;
    while (allocated && finder->rank < points->rank_count &&
           finder->last.open.count < finder->most_open &&
           finder->starts.count < finder->most_open) {
        if (finder->place == points->first[finder->rank]) {
            last_points_begin(&finder->last, points->first_rank + finder->rank);
            finder->caused->first[finder->rank] = finder->caused->count;
        }
        if (finder->place == points->first[finder->rank + 1]) {
            finder->rank++;
            continue;
        }
        const uint32_t place = finder->place++, end = points->order[place];
        if (points->points[points->ends[end].point].culprit == end)
            allocated = search_point(finder, place);
        allocated = allocated && last_points_pass(&finder->last, place);
    }
    return allocated;
}

/* Collective. */
static enum status find_all_intervals(struct interval_finder *finder,
                                      const struct processes *processes, struct error *error)
{
    int64_t more = 1;
    while (more) {
        enum status status = last_points_ask(&finder->last, pass_some(finder), error);
        if (status != STATUS_OK)
            return status;
        for (size_t i = 0; i < finder->operations.count; i++)
            limit_passing(finder, &finder->operations.items[i]);
        finder->operations.count = 0;
        finder->starts.count = 0;
        more = finder->rank < finder->points->rank_count;
        processes_max(processes, &more, 1);
    }
    return STATUS_OK;
}

static uint32_t count_caused(const struct sync_points *points)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->point_count; i++) {
        const struct sync_point *point = &points->points[i];
        if (sync_owns(points, points->ends[point->culprit].rank))
            for (uint32_t end = point[0].first_end; end < point[1].first_end; end++)
                count += points->ends[end].wait > 0;
    }
    return count;
}

static int64_t sync_end_time(const struct sync_points *points, const struct sync_end *end)
{
    return points->points[end->point].time;
}

static int by_time_and_victim(const void *a, const void *b, void *data)
{
    const struct sync_points *points = data;
    const struct sync_end *x = &points->ends[((const struct caused_wait *)a)->end],
                          *y = &points->ends[((const struct caused_wait *)b)->end];
    return ORDER(sync_end_time(points, x), sync_end_time(points, y))
               ?: ORDER(x->rank, y->rank)
               ?: ORDER(x->enter_row, y->enter_row)
               ?: ORDER(x->event_row, y->event_row);
}

/* The waits for a rank are in order of its rows, so in order of time, and often of the victims. */
static void order_caused(const struct sync_points *points, struct caused_wait *all, uint32_t count)
{
    bool ordered = true;
    for (uint32_t i = 1; i < count && ordered; i++)
        ordered = by_time_and_victim(&all[i - 1], &all[i], (void *)points) < 0;
    if (!ordered)
        qsort_r(all, count, sizeof *all, by_time_and_victim, (void *)points);
}

enum status intervals_find(const struct trace *trace, const struct sync_points *points,
                           struct caused_waits *caused, struct error *error)
{
    struct interval_finder finder = {.points = points,
                                     .caused = caused,
                                     .most_open = LEAST_OPEN + points->end_count / ENDS_PER_OPEN};
    const uint32_t count = count_caused(points);
    memset(caused, 0, sizeof *caused);
    caused->all = malloc(((size_t)count + 1) * sizeof *caused->all);
    caused->first = calloc((size_t)points->rank_count + 1, sizeof *caused->first);
    bool allocated = last_points_open(&finder.last, trace, points, store_start, &finder);
    enum status status = processes_agree_memory(
        trace->processes, allocated && caused->all && caused->first, purpose, error);
    if (status == STATUS_OK)
        status = find_all_intervals(&finder, trace->processes, error);
    if (status == STATUS_OK) {
        assert(caused->count == count);
        caused->first[points->rank_count] = count;
        for (uint32_t rank = 0; rank < points->rank_count; rank++)
            order_caused(points, caused->all + caused->first[rank],
                         caused->first[rank + 1] - caused->first[rank]);
    }
    if (status != STATUS_OK)
        caused_waits_clear(caused);
    last_points_close(&finder.last);
    free(finder.starts.items);
    free(finder.operations.items);
    return status;
}

static const struct sync_point *start_point(const struct sync_points *points,
                                            const struct caused_wait *caused)
{
    return &points->points[points->ends[caused->culprit_start].point];
}

struct interval_start interval_culprit_start(const struct sync_points *points,
                                             const struct caused_wait *caused)
{
    if (caused->culprit_start == INDEX_NONE)
        return (struct interval_start){.enter_row = INDEX_NONE};
    const struct sync_end *end = &points->ends[caused->culprit_start];
    const bool is_pair = sync_point_is_pair(start_point(points, caused));
    return (struct interval_start){end->enter_row, end->event_row, is_pair && end->wait > 0,
                                   is_pair};
}

/* In a pair, the end of the other rank. */
static const struct sync_end *pair_victim(const struct sync_points *points,
                                          const struct caused_wait *caused)
{
    const uint32_t first = start_point(points, caused)->first_end;
    assert(sync_point_is_pair(start_point(points, caused)));
    return &points->ends[first + (caused->culprit_start == first)];
}

struct interval_start interval_victim_start(const struct sync_points *points,
                                            const struct caused_wait *caused)
{
    struct interval_start start = {.enter_row = INDEX_NONE};
    if (caused->culprit_start == INDEX_NONE)
        return start;
    start.enter_row = caused->victim_start;
    start.is_pair = sync_point_is_pair(start_point(points, caused));
    if (start.is_pair) {
        start.event_row = pair_victim(points, caused)->event_row;
        start.waits_in_pair = pair_victim(points, caused)->wait > 0;
    }
    return start;
}

/* Whether a wait comes before the interval. A call that both sends and receives may wait for a
 * third rank; that wait is inside. */
static bool is_before_start(const struct interval_start *start, const struct sync_end *wait)
{
    if (wait->enter_row != start->enter_row || !start->is_pair)
        return wait->enter_row <= start->enter_row;
    return start->waits_in_pair && wait->event_row == start->event_row;
}

uint32_t interval_first_wait(const struct sync_points *points, const struct interval_start *start,
                             uint32_t rank, uint32_t last)
{
    assert(sync_owns(points, rank));
    uint32_t first = last;
    if (start->enter_row == INDEX_NONE)
        return sync_first_wait(points, rank);
    while (first > sync_first_wait(points, rank) &&
           !is_before_start(start, sync_wait_end(points, first - 1)))
        first--;
    return first;
}

void interval_start_times(const struct sync_points *points, const struct caused_wait *caused,
                          int64_t *culprit, int64_t *victim)
{
    assert(caused->culprit_start != INDEX_NONE);
    const struct sync_point *point = start_point(points, caused);
    const bool is_pair = sync_point_is_pair(point);
    const int64_t c = points->ends[caused->culprit_start].until, v = caused->victim_until;
    int64_t released = int64_min(c, v);
    if (!is_pair && point->kind != SYNC_N_TO_ONE)
        released = sync_released(points, point);
    *culprit = int64_max(0, c - released);
    *victim = int64_max(0, v - released);
    if (point->kind != SYNC_LATE_RECEIVER)
        return;
    /* SCOUT's rule: the sender's time counts up to the end of the receive. */
    if (points->ends[caused->culprit_start].wait > 0)
        *culprit = int64_min(0, c - v);
    if (pair_victim(points, caused)->wait > 0)
        *victim = int64_min(0, v - c);
}
