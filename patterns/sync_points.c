/* The table has first the pairs, in order of the waiting ranks and rows, then the other collective
 * operations by communicator and instance. On each host the leader fills it, and the others help to
 * sort. */
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

/* Sums over all processes. */
struct collected_counts {
    int64_t pairs, instances, ends, waits;
};

static int64_t count_waits(const struct sync_end *ends, size_t count)
{
    int64_t waits = 0;
    for (size_t i = 0; i < count; i++)
        waits += ends[i].wait > 0;
    return waits;
}

/* Collective. Counts what the processes have collected. */
static enum status count_collected(const struct processes *processes,
                                   const struct sync_collector *collector,
                                   struct collected_counts *counts, struct error *error)
{
    int64_t sums[] = {
        (int64_t)collector->pairs.count,
        (int64_t)collector->instances.count,
        (int64_t)(collector->pair_ends.count + collector->instance_ends.count),
        count_waits(collector->pair_ends.items, collector->pair_ends.count) +
            count_waits(collector->instance_ends.items, collector->instance_ends.count),
    };
    processes_sum(processes, sums, sizeof sums / sizeof *sums);
    *counts = (struct collected_counts){sums[0], sums[1], sums[2], sums[3]};
    if (counts->ends > INT32_MAX)
        return error_set(error, STATUS_INPUT, "more than %d waits: too many to find their causes",
                         INT32_MAX / 2);
    return STATUS_OK;
}

/* Collective. Makes memory for all points or ends and puts there what the processes have collected
 * of the pairs. `more`: how many others will follow. Frees the collected items. */
#define gather_pairs(table, memory, array, total, more, error)                                   \
    gather_pairs_((table), (memory), (void **)&(array)->items, &(array)->count, (total), (more), \
                  sizeof *(array)->items, (error))

static enum status gather_pairs_(const struct sync_points *table, struct host_memory *memory,
                                 void **items, size_t *count, int64_t total, int64_t more,
                                 size_t size, struct error *error)
{
    const size_t room = ((size_t)(total + more) + 1) * size;
    enum status status;
    if (table->group.processes->size == 1) { /* no second copy: pairs can be most of the memory */
        void *all = realloc(*items, room);
        if (all)
            host_memory_adopt(memory, all);
        status = all ? STATUS_OK : error_memory(error, purpose);
    } else {
        status = host_memory_open(&table->group, room, purpose, memory, error);
        if (status == STATUS_OK)
            status = host_memory_gather(&table->group, *items, *count, size, memory->data, purpose,
                                        error);
        free(*items);
    }
    if (status == STATUS_OK || table->group.processes->size > 1) {
        *items = NULL;
        *count = 0;
    }
    return status;
}

/* Collective. Replaces what this process has collected of the instances by that of all processes on
 * the leader, by nothing on others. */
#define gather_instances(table, array, total, error)                                          \
    gather_instances_((table), (void **)&(array)->items, &(array)->count, &(array)->capacity, \
                      (size_t)(total), sizeof *(array)->items, (error))

static enum status gather_instances_(const struct sync_points *table, void **items, size_t *count,
                                     size_t *capacity, size_t total, size_t size,
                                     struct error *error)
{
    const struct host_group *group = &table->group;
    if (group->processes->size == 1)
        return STATUS_OK;
    void *all = group->leads ? malloc((total + 1) * size) : NULL;
    enum status status =
        processes_agree_memory(group->processes, all || !group->leads, purpose, error);
    if (status == STATUS_OK)
        status = host_memory_gather(group, *items, *count, size, all, purpose, error);
    free(*items);
    *items = all;
    *count = *capacity = group->leads ? total : 0;
    return status;
}

/* Collective. Gathers what has been collected: pairs in the table, instances at the leader. */
static enum status gather(struct sync_points *table, struct sync_collector *collector,
                          const struct collected_counts *counts, struct error *error)
{
    const int64_t instance_ends = counts->ends - 2 * counts->pairs;
    enum status status = gather_pairs(table, &table->point_memory, &collector->pairs, counts->pairs,
                                      counts->instances, error);
    if (status == STATUS_OK)
        status = gather_pairs(table, &table->end_memory, &collector->pair_ends, 2 * counts->pairs,
                              instance_ends, error);
    table->points = table->point_memory.data;
    table->ends = table->end_memory.data;
    if (status == STATUS_OK)
        status = gather_instances(table, &collector->instances, counts->instances, error);
    if (status == STATUS_OK)
        status = gather_instances(table, &collector->instance_ends, instance_ends, error);
    return status;
}

/* Divides a block of memory into arrays. */
struct layout {
    char *begin; /* NULL: only the size is wanted */
    size_t size;
};

static void *place_array(struct layout *layout, size_t count, size_t size)
{
    void *array = layout->begin ? layout->begin + layout->size : NULL;
    layout->size += (count * size + 7) / 8 * 8;
    return array;
}

static size_t lay_out(struct sync_points *table, char *begin)
{
    const size_t ranks = (size_t)table->rank_count + 2, waits = (size_t)table->wait_count + 1;
    struct layout layout = {.begin = begin};
    table->released = place_array(&layout, (size_t)table->point_count - table->pair_count + 1,
                                  sizeof *table->released);
    table->waited = place_array(&layout, waits, sizeof *table->waited);
    table->first = place_array(&layout, ranks, sizeof *table->first);
    table->first_wait = place_array(&layout, ranks, sizeof *table->first_wait);
    table->waits = place_array(&layout, waits, sizeof *table->waits);
    table->by_time = place_array(&layout, waits, sizeof *table->by_time);
    return layout.size;
}

/* Collective. Makes memory for what is not in points and ends. */
static enum status open_lists(struct sync_points *table, struct error *error)
{
    enum status status =
        host_memory_open(&table->group, lay_out(table, NULL), purpose, &table->wait_memory, error);
    if (status != STATUS_OK)
        return status;
    lay_out(table, table->wait_memory.data);
    status = host_memory_open(&table->group, ((size_t)table->end_count + 1) * sizeof *table->order,
                              purpose, &table->order_memory, error);
    table->order = table->order_memory.data;
    return status;
}

static void number_pairs(struct sync_points *table)
{
    for (uint32_t i = 0; i < table->pair_count; i++) {
        table->points[i].first_end = 2 * i;
        table->points[i].culprit = 2 * i + 1;
        table->ends[2 * i].point = table->ends[2 * i + 1].point = i;
    }
}

/* A member that needed nobody's data may have left before the culprit came: nobody has released
 * it. */
static int64_t first_release(const struct sync_points *table, const struct sync_point *point,
                             uint32_t last_end)
{
    bool waiting_only = point->kind == SYNC_ONE_TO_N;
    int64_t first = INT64_MAX;
    for (uint32_t i = point->first_end; i < last_end; i++)
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
    uint32_t place = 0, next_end = 2 * table->pair_count;
    if (!order)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        instances[i].point.first_end = place;
        place += instances[i].end_count;
        order[i] =
            (struct keyed){(uint64_t)instances[i].point.comm << 32 | instances[i].instance, i};
    }
    bool complete = keyed_sort(order, count);
    for (uint32_t i = 0; i < count && complete; i++) {
        const struct sync_instance *instance = &instances[order[i].value];
        const struct sync_end *ends = &all->instance_ends.items[instance->point.first_end];
        const uint32_t number = table->pair_count + i;
        struct sync_point *point = &table->points[number];
        *point = instance->point;
        point->first_end = next_end;
        point->culprit += next_end;
        for (uint32_t k = 0; k < instance->end_count; k++) {
            table->ends[next_end] = ends[k];
            table->ends[next_end++].point = number;
        }
        table->released[i] = first_release(table, point, next_end);
    }
    table->points[table->point_count] = (struct sync_point){.first_end = table->end_count};
    free(order);
    return complete;
}

/* --- orders ----------------------------------------------------------------------------------- */

/* Groups the ends by rank, each rank's in the order of the table. */
static void group_by_rank(struct sync_points *table)
{
    uint32_t *place = table->first + 1; /* place[rank] ends up as first[rank + 1] */
    for (uint32_t i = 0; i < table->end_count; i++)
        place[table->ends[i].rank + 1]++;
    for (uint32_t rank = 0; rank < table->rank_count; rank++)
        place[rank + 1] += place[rank];
    for (uint32_t i = 0; i < table->end_count; i++)
        table->order[place[table->ends[i].rank]++] = i;
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
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < table->rank_count; rank++) {
        table->first_wait[rank] = count;
        for (uint32_t i = table->first[rank]; i < table->first[rank + 1]; i++) {
            int64_t wait = table->ends[table->order[i]].wait;
            if (wait <= 0)
                continue;
            table->waits[count] = table->order[i];
            table->waited[count + 1] = table->waited[count] + wait;
            count++;
        }
    }
    assert(count == table->wait_count);
    table->first_wait[table->rank_count] = count;
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

/* Sorts the ends of this process's share of the ranks. False when memory is out. */
static bool sort_share(struct sync_points *table)
{
    const struct host_group *group = &table->group;
    const uint32_t first = (uint32_t)host_group_slice(group, group->index, table->rank_count);
    const uint32_t last = (uint32_t)host_group_slice(group, group->index + 1, table->rank_count);
    uint32_t most = 0;
    for (uint32_t rank = first; rank < last; rank++)
        if (table->first[rank + 1] - table->first[rank] > most)
            most = table->first[rank + 1] - table->first[rank];
    struct keyed *items = malloc(((size_t)most + 1) * sizeof *items);
    bool complete = items != NULL;
    for (uint32_t rank = first; rank < last && complete; rank++)
        complete = put_in_order(table, rank, items);
    free(items);
    return complete;
}

/* Collective. Lists ends and waits rank by rank. */
static enum status order_ends(struct sync_points *table, struct error *error)
{
    const struct host_group *group = &table->group;
    if (group->leads)
        group_by_rank(table);
    enum status status = host_group_agree(group, true, purpose, error);
    if (status == STATUS_OK)
        status = host_group_agree(group, sort_share(table), purpose, error);
    bool complete = true;
    if (status == STATUS_OK && group->leads) {
        find_waits(table);
        complete = order_waits(table);
    }
    return status == STATUS_OK ? host_group_agree(group, complete, purpose, error) : status;
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
    struct collected_counts counts;
    memset(points, 0, sizeof *points);
    points->rank_count = trace->rank_count;
    enum status status = count_collected(trace->processes, collector, &counts, error);
    if (status == STATUS_OK)
        status = host_group_open(trace->processes, &points->group, error);
    if (status == STATUS_OK)
        status = gather(points, collector, &counts, error);
    if (status == STATUS_OK) {
        points->pair_count = (uint32_t)counts.pairs;
        points->point_count = (uint32_t)(counts.pairs + counts.instances);
        points->end_count = (uint32_t)counts.ends;
        points->wait_count = (uint32_t)counts.waits;
        status = open_lists(points, error);
    }
    if (status == STATUS_OK) {
        bool complete = true;
        if (points->group.leads) {
            number_pairs(points);
            complete = place_instances(points, collector);
        }
        status = host_group_agree(&points->group, complete, purpose, error);
    }
    sync_collector_clear(collector);
    if (status == STATUS_OK)
        status = order_ends(points, error);
    if (status == STATUS_OK)
        find_init(trace, ranks, points);
    return status;
}

void sync_points_forget_order(struct sync_points *points)
{
    host_memory_close(&points->order_memory);
    points->order = NULL;
}

void sync_points_clear(struct sync_points *points)
{
    host_memory_close(&points->point_memory);
    host_memory_close(&points->end_memory);
    host_memory_close(&points->wait_memory);
    host_memory_close(&points->order_memory);
    host_group_close(&points->group);
    memset(points, 0, sizeof *points);
}
