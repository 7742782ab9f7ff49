/* Every process gets the whole table: first pairs, in order of the waiting ranks and rows, then the
 * other collective operations by communicator and instance. */
#include "patterns/sync_points.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char purpose[] = "synchronisation points"; /* of memory */

const char *sync_kind_name(enum sync_kind kind)
{
    static const char *const names[SYNC_KIND_COUNT] = {
        [SYNC_NONE] = "Wait",
        [SYNC_LATE_SENDER] = "Late Sender",
        [SYNC_LATE_RECEIVER] = "Late Receiver",
        [SYNC_BARRIER] = "Wait at Barrier",
        [SYNC_N_TO_N] = "Wait at N x N",
        [SYNC_ONE_TO_N] = "Late Broadcast",
        [SYNC_N_TO_ONE] = "Early Reduce",
        [SYNC_PREFIX] = "Early Scan",
    };
    assert(kind < SYNC_KIND_COUNT);
    return names[kind];
}

void sync_collector_clear(struct sync_collector *collector)
{
    free(collector->operations.items);
    free(collector->pairs.items);
    free(collector->pair_ends.items);
    free(collector->instances.items);
    free(collector->instance_ends.items);
    memset(collector, 0, sizeof *collector);
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
                                                .kind = kind,
                                                .comm = members[0].part.comm},
                                      .instance = members[0].part.instance,
                                      .end_count = count};
    bool complete = array_push(&collector->instances, collected);
    for (uint32_t i = 0; i < count && complete; i++) {
        struct sync_end end = {.wait = waits[i].wait,
                               .until = members[i].end,
                               .rank = members[i].part.rank,
                               .enter_row = members[i].enter_row,
                               .event_row = members[i].end_row};
        complete = array_push(&collector->instance_ends, end);
    }
    return complete;
}

/* --- the table -------------------------------------------------------------------------------- */

/* Collective. Adds what the other processes have collected, in order of processes and so of
 * ranks. */
static enum status share(const struct processes *processes, struct sync_collector *all,
                         struct error *error)
{
    int64_t ends = (int64_t)(all->pair_ends.count + all->instance_ends.count);
    processes_sum(processes, &ends, 1);
    if (ends > INT32_MAX)
        return error_set(error, STATUS_INPUT, "more than %d waits: too many to find their causes",
                         INT32_MAX / 2);
    enum status status = processes_share(processes, &all->pairs, purpose, error);
    if (status == STATUS_OK)
        status = processes_share(processes, &all->pair_ends, purpose, error);
    if (status == STATUS_OK)
        status = processes_share(processes, &all->instances, purpose, error);
    if (status == STATUS_OK)
        status = processes_share(processes, &all->instance_ends, purpose, error);
    return status;
}

static void number_pairs(struct sync_points *table, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        table->points[i].first_end = 2 * i;
        table->points[i].culprit = 2 * i + 1;
        table->ends[2 * i].point = table->ends[2 * i + 1].point = i;
    }
    table->point_count = table->pair_count = count;
    table->end_count = 2 * count;
}

/* A member that needed nobody's data may have left before the culprit came: nobody has released
 * it. */
static int64_t first_release(const struct sync_points *table, const struct sync_point *point)
{
    bool waiting_only = point->kind == SYNC_ONE_TO_N;
    int64_t first = INT64_MAX;
    for (uint32_t i = point->first_end; i < table->end_count; i++)
        if (table->ends[i].wait > 0 ||
            (!waiting_only && (i == point->culprit || table->ends[i].until > point->time)))
            first = earlier(first, table->ends[i].until);
    return first;
}

/* Puts the instances behind the pairs, by communicator and number. False when memory is out. */
static bool place_instances(struct sync_points *table, const struct sync_collector *all)
{
    const size_t count = all->instances.count;
    struct sync_instance *instances = all->instances.items;
    struct keyed *order = malloc((count + 1) * sizeof *order);
    uint32_t place = 0;
    if (!order)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        instances[i].point.first_end = place;
        place += instances[i].end_count;
        order[i] =
            (struct keyed){(uint64_t)instances[i].point.comm << 32 | instances[i].instance, i};
    }
    bool complete = keyed_sort(order, count);
    for (size_t i = 0; i < count && complete; i++) {
        const struct sync_instance *instance = &instances[order[i].value];
        const struct sync_end *ends = &all->instance_ends.items[instance->point.first_end];
        struct sync_point *point = &table->points[table->point_count];
        *point = instance->point;
        point->first_end = table->end_count;
        point->culprit += table->end_count;
        for (uint32_t k = 0; k < instance->end_count; k++) {
            table->ends[table->end_count] = ends[k];
            table->ends[table->end_count++].point = table->point_count;
        }
        table->released[i] = first_release(table, point);
        table->point_count++;
    }
    table->points[table->point_count] = (struct sync_point){.first_end = table->end_count};
    free(order);
    return complete;
}

/* Makes the table of what all processes have collected, whose pairs it takes over. False when
 * memory is out. */
static bool fill(struct sync_points *table, struct sync_collector *all)
{
    const size_t pairs = all->pairs.count;
    table->released = malloc((all->instances.count + 1) * sizeof *table->released);
    if (!table->released || !array_reserve(&all->pairs, all->instances.count + 1) ||
        !array_reserve(&all->pair_ends, all->instance_ends.count + 1))
        return false;
    table->points = all->pairs.items;
    table->ends = all->pair_ends.items;
    all->pairs.items = NULL;
    all->pair_ends.items = NULL;
    number_pairs(table, (uint32_t)pairs);
    return place_instances(table, all);
}

/* --- orders ----------------------------------------------------------------------------------- */

/* Groups the ends by rank, each rank's in the order of the table. Returns the largest number of
 * ends of a rank. */
static uint32_t group_by_rank(struct sync_points *table)
{
    uint32_t *place = table->first + 1, most = 0; /* place[rank] ends up as first[rank + 1] */
    for (uint32_t i = 0; i < table->end_count; i++)
        place[table->ends[i].rank + 1]++;
    for (uint32_t rank = 0; rank < table->rank_count; rank++) {
        most = place[rank + 1] > most ? place[rank + 1] : most;
        place[rank + 1] += place[rank];
    }
    for (uint32_t i = 0; i < table->end_count; i++)
        table->order[place[table->ends[i].rank]++] = i;
    return most;
}

/* Sorts one rank's ends by calls and then by events. `items` has room for all of them. False when
 * memory is out. */
static bool put_in_order(struct sync_points *table, uint32_t rank, struct keyed *items)
{
    uint32_t *order = table->order + table->first[rank],
             count = table->first[rank + 1] - table->first[rank];
    for (uint32_t i = 0; i < count; i++) {
        const struct sync_end *end = &table->ends[order[i]];
        items[i] = (struct keyed){(uint64_t)end->enter_row << 32 | end->event_row, order[i]};
    }
    if (!keyed_sort(items, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = items[i].value;
    return true;
}

static void find_waits(struct sync_points *table)
{
    for (uint32_t rank = 0; rank < table->rank_count; rank++) {
        table->first_wait[rank] = table->wait_count;
        for (uint32_t i = table->first[rank]; i < table->first[rank + 1]; i++) {
            int64_t wait = table->ends[table->order[i]].wait;
            if (wait <= 0)
                continue;
            table->waits[table->wait_count] = table->order[i];
            table->waited[table->wait_count + 1] = table->waited[table->wait_count] + wait;
            table->wait_count++;
        }
    }
    table->first_wait[table->rank_count] = table->wait_count;
}

/* False when memory is out. */
static bool order_waits(struct sync_points *table)
{
    struct keyed *items = malloc(((size_t)table->wait_count + 1) * sizeof *items);
    if (!items)
        return false;
    for (uint32_t i = 0; i < table->wait_count; i++) {
        const struct sync_point *point = &table->points[table->ends[table->waits[i]].point];
        items[i] = (struct keyed){sort_key(point->time), i};
    }
    bool complete = keyed_sort(items, table->wait_count);
    for (uint32_t i = 0; i < table->wait_count; i++)
        table->by_time[i] = items[i].value;
    free(items);
    return complete;
}

/* Lists ends and waits rank by rank. False when memory is out. */
static bool order_ends(struct sync_points *table)
{
    size_t ranks = (size_t)table->rank_count + 2, waits = 1;
    for (uint32_t i = 0; i < table->end_count; i++)
        waits += table->ends[i].wait > 0;
    table->order = malloc(((size_t)table->end_count + 1) * sizeof *table->order);
    table->first = calloc(ranks, sizeof *table->first);
    table->first_wait = calloc(ranks, sizeof *table->first_wait);
    table->waits = malloc(waits * sizeof *table->waits);
    table->waited = malloc(waits * sizeof *table->waited);
    table->by_time = malloc(waits * sizeof *table->by_time);
    if (!table->order || !table->first || !table->first_wait || !table->waits || !table->waited ||
        !table->by_time)
        return false;
    struct keyed *items = malloc(((size_t)group_by_rank(table) + 1) * sizeof *items);
    bool complete = items != NULL;
    for (uint32_t rank = 0; rank < table->rank_count && complete; rank++)
        complete = put_in_order(table, rank, items);
    free(items);
    table->waited[0] = 0;
    if (complete)
        find_waits(table);
    return complete;
}

static void find_init(const struct trace *trace, const struct search_rank *ranks,
                      struct sync_points *table)
{
    table->first_init_end = INT64_MAX;
    table->last_init_begin = INT64_MIN;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        if (ranks[i].init_path == CALLPATH_NONE)
            continue;
        table->first_init_end = earlier(table->first_init_end, ranks[i].init_leave);
        table->last_init_begin = later(table->last_init_begin, ranks[i].init_enter);
    }
    processes_min(trace->processes, &table->first_init_end, 1);
    processes_max(trace->processes, &table->last_init_begin, 1);
}

enum status sync_points_make(const struct trace *trace, const struct search_rank *ranks,
                             struct sync_collector *collector, struct sync_points *points,
                             struct error *error)
{
    const struct processes *processes = trace->processes;
    memset(points, 0, sizeof *points);
    points->rank_count = trace->rank_count;
    enum status status = share(processes, collector, error);
    bool complete = status == STATUS_OK && fill(points, collector);
    sync_collector_clear(collector);
    if (status == STATUS_OK) {
        complete = complete && order_ends(points) && order_waits(points);
        status = processes_agree_memory(processes, complete, purpose, error);
    }
    if (status == STATUS_OK)
        find_init(trace, ranks, points);
    return status;
}

void sync_points_clear(struct sync_points *points)
{
    free(points->points);
    free(points->released);
    free(points->ends);
    free(points->order);
    free(points->first);
    free(points->waits);
    free(points->first_wait);
    free(points->waited);
    free(points->by_time);
    memset(points, 0, sizeof *points);
}
