/* Every process gets the whole table: first pairs, in order of the waiting ranks and rows, then the
 * other collective operations by communicator and instance. */
#include "patterns/sync_points.h"

#include "base/sort.h"

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

/* What is shared by all processes. */
enum { PAIRS, INSTANCES, INSTANCE_ENDS, PART_COUNT };

struct gathering {
    const struct processes *processes;
    struct sync_collector own;
    int64_t *first[PART_COUNT]; /* [processes + 1], the first record of each process */
    struct sync_instance *instances;
    struct sync_end *instance_ends;
};

static int64_t total_of(const struct gathering *gathering, int part)
{
    return gathering->first[part][gathering->processes->size];
}

/* Collective. Counts the records of each process. */
static enum status count_parts(struct gathering *gathering, struct error *error)
{
    const struct processes *processes = gathering->processes;
    const struct sync_collector *own = &gathering->own;
    const size_t counts[] = {own->pairs.count, own->instances.count, own->instance_ends.count},
                 room = (size_t)processes->size + 1;
    int64_t *counted = calloc(PART_COUNT * room, sizeof *counted);
    enum status status = processes_agree_memory(processes, counted, purpose, error);
    gathering->first[0] = counted; /* owns all */
    if (status != STATUS_OK)
        return status;
    for (int part = 0; part < PART_COUNT; part++) {
        gathering->first[part] = counted + (size_t)part * room;
        gathering->first[part][processes->rank + 1] = (int64_t)counts[part];
    }
    processes_sum(processes, counted, PART_COUNT * room);
    for (int part = 0; part < PART_COUNT; part++)
        for (int p = 0; p < processes->size; p++)
            gathering->first[part][p + 1] += gathering->first[part][p];
    if (2 * total_of(gathering, PAIRS) + total_of(gathering, INSTANCE_ENDS) > INT32_MAX)
        return error_set(error, STATUS_INPUT, "more than %d waits: too many to find their causes",
                         INT32_MAX / 2);
    return STATUS_OK;
}

/* Extends the array of own records to the `total` of all processes, and moves the own ones to their
 * place. Takes over `*own`; NULL when memory is out. */
static void *make_room(void **own, size_t count, size_t size, int64_t total, int64_t first)
{
    char *all = realloc(*own, ((size_t)total + 1) * size);
    if (!all)
        return NULL;
    *own = NULL;
    if (count)
        memmove(all + (size_t)first * size, all, count * size);
    return all;
}

/* Moves what has been collected to its place in the table: first pairs, in order of processes and
 * so of ranks. False when memory is out. */
static bool place_own(struct gathering *gathering, struct sync_points *table)
{
    struct sync_collector *own = &gathering->own;
    const int me = gathering->processes->rank;
    int64_t *const *first = gathering->first;
    int64_t pairs = total_of(gathering, PAIRS), instances = total_of(gathering, INSTANCES),
            ends = total_of(gathering, INSTANCE_ENDS);
    table->points = make_room((void **)&own->pairs.items, own->pairs.count, sizeof *table->points,
                              pairs + instances, first[PAIRS][me]);
    table->ends = make_room((void **)&own->pair_ends.items, own->pair_ends.count,
                            sizeof *table->ends, 2 * pairs + ends, 2 * first[PAIRS][me]);
    gathering->instances = make_room((void **)&own->instances.items, own->instances.count,
                                     sizeof *gathering->instances, instances, first[INSTANCES][me]);
    gathering->instance_ends =
        make_room((void **)&own->instance_ends.items, own->instance_ends.count,
                  sizeof *gathering->instance_ends, ends, first[INSTANCE_ENDS][me]);
    return table->points && table->ends && gathering->instances && gathering->instance_ends;
}

/* Collective. */
static enum status share_parts(const struct gathering *gathering, struct sync_points *table,
                               struct error *error)
{
    int64_t *const *first = gathering->first;
    const struct {
        void *all;
        size_t size;
        const int64_t *first;
    } parts[] = {
        {table->points, sizeof *table->points, first[PAIRS]},
        {table->ends, 2 * sizeof *table->ends, first[PAIRS]},
        {gathering->instances, sizeof *gathering->instances, first[INSTANCES]},
        {gathering->instance_ends, sizeof *gathering->instance_ends, first[INSTANCE_ENDS]},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == STATUS_OK; i++)
        status = processes_share(gathering->processes, parts[i].all, parts[i].size, parts[i].first,
                                 error);
    return status;
}

static void number_pairs(struct sync_points *table, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        table->points[i].first_end = 2 * i;
        table->points[i].culprit = 2 * i + 1;
        table->ends[2 * i].point = table->ends[2 * i + 1].point = i;
    }
    table->point_count = count;
    table->end_count = 2 * count;
}

/* Puts the instances behind the pairs, by communicator and number. False when memory is out. */
static bool place_instances(struct sync_points *table, struct gathering *gathering)
{
    size_t count = (size_t)total_of(gathering, INSTANCES);
    struct sync_instance *instances = gathering->instances;
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
        const struct sync_end *ends = &gathering->instance_ends[instance->point.first_end];
        struct sync_point *point = &table->points[table->point_count];
        *point = instance->point;
        point->first_end = table->end_count;
        point->culprit += table->end_count;
        for (uint32_t k = 0; k < instance->end_count; k++) {
            table->ends[table->end_count] = ends[k];
            table->ends[table->end_count++].point = table->point_count;
        }
        table->point_count++;
    }
    free(order);
    return complete;
}

/* Collective. */
static enum status fill(struct sync_points *table, struct gathering *gathering, struct error *error)
{
    enum status status = count_parts(gathering, error);
    if (status != STATUS_OK)
        return status;
    status =
        processes_agree_memory(gathering->processes, place_own(gathering, table), purpose, error);
    if (status == STATUS_OK)
        status = share_parts(gathering, table, error);
    if (status != STATUS_OK)
        return status;
    number_pairs(table, (uint32_t)total_of(gathering, PAIRS));
    status = processes_agree_memory(gathering->processes, place_instances(table, gathering),
                                    purpose, error);
    table->points[table->point_count] = (struct sync_point){.first_end = table->end_count};
    return status;
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
    struct gathering gathering = {.processes = processes, .own = *collector};
    memset(points, 0, sizeof *points);
    memset(collector, 0, sizeof *collector);
    points->rank_count = trace->rank_count;
    enum status status = fill(points, &gathering, error);
    sync_collector_clear(&gathering.own);
    free(gathering.first[0]);
    free(gathering.instances);
    free(gathering.instance_ends);
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, order_ends(points) && order_waits(points),
                                        purpose, error);
    if (status == STATUS_OK)
        find_init(trace, ranks, points);
    return status;
}

void sync_points_clear(struct sync_points *points)
{
    free(points->points);
    free(points->ends);
    free(points->order);
    free(points->first);
    free(points->waits);
    free(points->first_wait);
    free(points->waited);
    free(points->by_time);
    memset(points, 0, sizeof *points);
}
