#include "patterns/sync_points.h"

#include "base/memory.h"
#include "base/sort.h"
#include "patterns/sync_exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char purpose[] = "synchronisation points"; /* of memory */

void sync_collector_clear(struct sync_collector *collector)
{
    free(collector->operations.items);
    free(collector->pairs.items);
    free(collector->pair_ends.items);
    free(collector->instances.items);
    free(collector->instance_ends.items);
    memset(collector, 0, sizeof *collector);
}

/* The first end of a member that had to wait for the culprit. A member that needed no data may have
 * left before the culprit entered. */
static int64_t first_release(enum sync_kind kind, const struct member *members, uint32_t count,
                             const struct member_wait *waits, uint32_t culprit)
{
    const int64_t time = members[culprit].enter;
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (waits[i].wait > 0 || (kind != SYNC_ONE_TO_N && (i == culprit || members[i].end > time)))
            first = int64_min(first, members[i].end);
    return first;
}

bool sync_collect_instance(struct sync_collector *collector, enum sync_kind kind,
                           const struct member *members, uint32_t count,
                           const struct member_wait *waits)
{
    assert(count > 0);
    uint32_t culprit = INDEX_NONE;
    for (uint32_t i = 0; i < count && culprit == INDEX_NONE; i++)
        if (waits[i].wait > 0)
            culprit = waits[i].cause;
    if (kind == SYNC_NONE || culprit == INDEX_NONE)
        return true;
    struct sync_instance collected = {.point = {.time = members[culprit].enter,
                                                .culprit = culprit,
                                                .kind = (uint8_t)kind,
                                                .comm = members[0].part.comm,
                                                .instance = members[0].part.instance},
                                      .released =
                                          first_release(kind, members, count, waits, culprit),
                                      .end_count = count};
    bool allocated = array_push(&collector->instances, collected);
    for (uint32_t i = 0; i < count && allocated; i++) {
        struct sync_end end = {.wait = waits[i].wait,
                               .until = members[i].end,
                               .rank = members[i].part.rank,
                               .enter_row = members[i].enter_row,
                               .event_row = members[i].end_row};
        allocated = array_push(&collector->instance_ends, end);
    }
    return allocated;
}

/* The instances that have arrived, in order of communicators and numbers. */
struct arrivals {
    struct received data;
    size_t *place;       /* [instance] where its record begins in the data */
    struct keyed *order; /* [instance] */
    uint32_t count;
    uint64_t end_count;
};

static const struct sync_instance *arrival_at(const struct arrivals *arrivals, size_t place,
                                              const struct sync_end **ends)
{
    const struct sync_instance *instance =
        (const struct sync_instance *)((const char *)arrivals->data.items + place);
    *ends = (const struct sync_end *)(instance + 1);
    return instance;
}

static size_t next_arrival(const struct arrivals *arrivals, size_t place)
{
    const struct sync_end *ends;
    const struct sync_instance *instance = arrival_at(arrivals, place, &ends);
    assert(place + sizeof *instance <= arrivals->data.count);
    return place + sizeof *instance + instance->end_count * sizeof *ends;
}

/* False if out of memory. */
static bool sort_arrivals(struct arrivals *arrivals)
{
    size_t count = 0, place = 0;
    for (; place < arrivals->data.count; place = next_arrival(arrivals, place))
        count++;
    arrivals->place = malloc((count + 1) * sizeof *arrivals->place);
    arrivals->order = malloc((count + 1) * sizeof *arrivals->order);
    if (!arrivals->place || !arrivals->order)
        return false;
    arrivals->count = (uint32_t)count;
    place = 0;
    for (uint32_t i = 0; i < count; i++, place = next_arrival(arrivals, place)) {
        const struct sync_end *ends;
        const struct sync_instance *instance = arrival_at(arrivals, place, &ends);
        arrivals->place[i] = place;
        arrivals->order[i] =
            (struct keyed){(uint64_t)instance->point.comm << 32 | instance->point.instance, i};
        arrivals->end_count += instance->end_count;
    }
    return keyed_sort(arrivals->order, count);
}

static void arrivals_clear(struct arrivals *arrivals)
{
    free(arrivals->data.items);
    free(arrivals->place);
    free(arrivals->order);
}

/* Takes over the collected pairs, with room for the instances. False if out of memory. */
static bool take_collected_pairs(struct sync_points *points, struct sync_collector *collector)
{
    struct sync_point *pairs =
        realloc(collector->pairs.items, ((size_t)points->point_count + 1) * sizeof *pairs);
    if (!pairs)
        return false;
    collector->pairs.items = NULL;
    points->points = pairs;
    struct sync_end *ends =
        realloc(collector->pair_ends.items, ((size_t)points->end_count + 1) * sizeof *ends);
    if (!ends)
        return false;
    collector->pair_ends.items = NULL;
    points->ends = ends;
    for (uint32_t i = 0; i < points->pair_count; i++) {
        pairs[i].first_end = 2 * i;
        pairs[i].culprit = 2 * i + 1;
        ends[2 * i].point = ends[2 * i + 1].point = i;
    }
    return true;
}

static void place_arrivals(struct sync_points *points, const struct arrivals *arrivals)
{
    uint32_t next_end = 2 * points->pair_count;
    for (uint32_t i = 0; i < arrivals->count; i++) {
        const struct sync_end *ends;
        const struct sync_instance *instance =
            arrival_at(arrivals, arrivals->place[arrivals->order[i].value], &ends);
        const uint32_t number = points->pair_count + i;
        struct sync_point *point = &points->points[number];
        *point = instance->point;
        point->first_end = next_end;
        point->culprit += next_end;
        points->released[i] = instance->released;
        for (uint32_t k = 0; k < instance->end_count; k++) {
            points->ends[next_end] = ends[k];
            points->ends[next_end++].point = number;
        }
    }
    points->points[points->point_count] = (struct sync_point){.first_end = points->end_count};
}

/* Fails if out of memory, or the numbers do not fit. */
static enum status place_all(struct sync_points *points, struct sync_collector *collector,
                             struct arrivals *arrivals, struct error *error)
{
    if (!sort_arrivals(arrivals))
        return error_memory(error, purpose);
    const uint64_t ends = collector->pair_ends.count + arrivals->end_count;
    if (ends > INT32_MAX)
        return error_set(error, STATUS_INPUT,
                         "more than %d waits on one process: too many to find their causes; use "
                         "more processes",
                         INT32_MAX / 2);
    points->pair_count = (uint32_t)collector->pairs.count;
    points->point_count = points->pair_count + arrivals->count;
    points->end_count = (uint32_t)ends;
    points->released = malloc(((size_t)arrivals->count + 1) * sizeof *points->released);
    if (!points->released || !take_collected_pairs(points, collector))
        return error_memory(error, purpose);
    place_arrivals(points, arrivals);
    return STATUS_OK;
}

/* Groups the ends of owned ranks by rank, each rank's in the order of the points. */
static void group_by_rank(struct sync_points *points)
{
    uint32_t *place = points->first + 1; /* place[rank] ends up as first[rank + 1] */
    for (uint32_t i = 0; i < points->end_count; i++)
        if (sync_owns(points, points->ends[i].rank))
            place[points->ends[i].rank - points->first_rank + 1]++;
    for (uint32_t rank = 0; rank < points->rank_count; rank++)
        place[rank + 1] += place[rank];
    for (uint32_t i = 0; i < points->end_count; i++)
        if (sync_owns(points, points->ends[i].rank))
            points->order[place[points->ends[i].rank - points->first_rank]++] = i;
}

/* Sorts one rank's ends by calls and then by events. `items` has room for all of them. False if
 * out of memory. */
static bool put_in_order(struct sync_points *points, uint32_t rank, struct keyed *items)
{
    uint32_t *order = points->order + points->first[rank],
             count = points->first[rank + 1] - points->first[rank];
    for (uint32_t i = 0; i < count; i++) {
        const struct sync_end *end = &points->ends[order[i]];
        items[i] = (struct keyed){(uint64_t)end->enter_row << 32 | end->event_row, order[i]};
    }
    if (!keyed_sort(items, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = items[i].value;
    return true;
}

/* False if out of memory. */
static bool sort_ends(struct sync_points *points)
{
    uint32_t most = 0;
    for (uint32_t rank = 0; rank < points->rank_count; rank++)
        if (points->first[rank + 1] - points->first[rank] > most)
            most = points->first[rank + 1] - points->first[rank];
    struct keyed *items = malloc(((size_t)most + 1) * sizeof *items);
    bool allocated = items != NULL;
    for (uint32_t rank = 0; rank < points->rank_count && allocated; rank++)
        allocated = put_in_order(points, rank, items);
    free(items);
    return allocated;
}

static void find_waits(struct sync_points *points)
{
    uint32_t count = 0;
    points->waited[0] = 0;
    for (uint32_t rank = 0; rank < points->rank_count; rank++) {
        points->first_wait[rank] = count;
        for (uint32_t i = points->first[rank]; i < points->first[rank + 1]; i++) {
            int64_t wait = points->ends[points->order[i]].wait;
            if (wait <= 0)
                continue;
            points->waits[count] = points->order[i];
            points->waited[count + 1] = points->waited[count] + wait;
            count++;
        }
    }
    assert(count == points->wait_count);
    points->first_wait[points->rank_count] = count;
}

static uint32_t count_waits(const struct sync_points *points)
{
    uint32_t waits = 0;
    for (uint32_t i = 0; i < points->end_count; i++)
        waits += points->ends[i].wait > 0 && sync_owns(points, points->ends[i].rank);
    return waits;
}

/* Lists ends and waits rank by rank. False if out of memory. */
static bool order_ends(struct sync_points *points)
{
    const size_t ranks = (size_t)points->rank_count + 2;
    points->wait_count = count_waits(points);
    points->order = malloc(((size_t)points->end_count + 1) * sizeof *points->order);
    points->first = calloc(ranks, sizeof *points->first);
    points->waits = malloc(((size_t)points->wait_count + 1) * sizeof *points->waits);
    points->first_wait = malloc(ranks * sizeof *points->first_wait);
    points->waited = malloc(((size_t)points->wait_count + 1) * sizeof *points->waited);
    if (!points->order || !points->first || !points->waits || !points->first_wait ||
        !points->waited)
        return false;
    group_by_rank(points);
    if (!sort_ends(points))
        return false;
    find_waits(points);
    return true;
}

static void find_init(const struct trace *trace, const struct search_rank *ranks,
                      struct sync_points *points)
{
    points->first_init_end = INT64_MAX;
    points->last_init_begin = INT64_MIN;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        if (ranks[i].init_path == CALLPATH_NONE)
            continue;
        points->first_init_end = int64_min(points->first_init_end, ranks[i].init_leave);
        points->last_init_begin = int64_max(points->last_init_begin, ranks[i].init_enter);
    }
    processes_min(trace->processes, &points->first_init_end, 1);
    processes_max(trace->processes, &points->last_init_begin, 1);
}

enum status sync_points_make(const struct trace *trace, struct search_rank *ranks,
                             struct sync_collector *collector, struct sync_points *points,
                             struct error *error)
{
    struct arrivals arrivals = {0};
    memset(points, 0, sizeof *points);
    points->first_rank = trace->first_rank;
    points->rank_count = trace->owned_count;
    enum status status = sync_collect_pairs(trace, ranks, collector, error);
    memory_trim(); /* memory of the ranks that only the pairs needed */
    if (status == STATUS_OK)
        status = sync_exchange_pairs(trace, collector, error);
    if (status == STATUS_OK)
        status = sync_exchange_instances(trace, collector, &arrivals.data, error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes, place_all(points, collector, &arrivals, error),
                                 error);
    arrivals_clear(&arrivals);
    sync_collector_clear(collector);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, order_ends(points), purpose, error);
    if (status == STATUS_OK)
        find_init(trace, ranks, points);
    else
        sync_points_clear(points);
    return status;
}

void sync_points_forget_order(struct sync_points *points)
{
    free(points->order);
    free(points->first);
    points->order = points->first = NULL;
}

void sync_points_clear(struct sync_points *points)
{
    free(points->points);
    free(points->released);
    free(points->ends);
    free(points->waits);
    free(points->first_wait);
    free(points->waited);
    sync_points_forget_order(points);
    memset(points, 0, sizeof *points);
}

/* Waits are spread over the rows of a rank evenly enough to guess where one is. */
static uint32_t guess_wait(const struct sync_points *points, uint32_t first, uint32_t last,
                           uint32_t enter_row)
{
    const uint32_t begin = sync_wait_end(points, first)->enter_row;
    const uint32_t end = sync_wait_end(points, last)->enter_row;
    if (enter_row <= begin)
        return first;
    if (enter_row >= end)
        return last;
    return first + (uint32_t)((uint64_t)(enter_row - begin) * (last - first) / (end - begin));
}

uint32_t sync_wait_from(const struct sync_points *points, uint32_t rank, uint32_t enter_row,
                        uint32_t event_row)
{
    assert(sync_owns(points, rank));
    uint32_t low = sync_first_wait(points, rank);
    uint32_t high = points->first_wait[rank - points->first_rank + 1];
    if (low == high)
        return low;
    /* From the guess in steps that double, so that neighbours are found in few. */
    uint32_t place = guess_wait(points, low, high - 1, enter_row);
    for (uint32_t step = 1; low < high; step *= 2) {
        const struct sync_end *end = sync_wait_end(points, place);
        if (end->enter_row < enter_row ||
            (end->enter_row == enter_row && end->event_row < event_row)) {
            low = place + 1;
            place = high - low > step ? low + step : low + (high - low) / 2;
        } else {
            high = place;
            place = high - low > step ? high - step : low + (high - low) / 2;
        }
    }
    return low;
}

uint32_t sync_find_wait(const struct sync_points *points, uint32_t rank, uint32_t enter_row,
                        uint32_t event_row)
{
    const uint32_t wait = sync_wait_from(points, rank, enter_row, event_row);
    if (wait == points->first_wait[rank - points->first_rank + 1])
        return INDEX_NONE;
    const struct sync_end *end = sync_wait_end(points, wait);
    return end->enter_row == enter_row && end->event_row == event_row ? wait : INDEX_NONE;
}

uint32_t sync_find_operation(const struct sync_points *points, uint32_t comm, uint32_t instance)
{
    const struct sync_point *point = points->points;
    const uint32_t found = first_where(
        points->pair_count, points->point_count, i,
        point[i].comm > comm || (point[i].comm == comm && point[i].instance >= instance));
    if (found == points->point_count)
        return INDEX_NONE;
    return point[found].comm == comm && point[found].instance == instance ? found : INDEX_NONE;
}
