/* The table is gathered: every process gets all of it. Pairs come first, in order of the waiting
 * ranks and rows, then the other collective operations by communicator and instance. */
#include "patterns/sync_points.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

struct instance_head { /* followed by its ends */
    struct sync_point point;
    uint32_t instance, end_count;
};

void sync_collector_clear(struct sync_collector *collector)
{
    free(collector->operations.items);
    free(collector->pairs.items);
    free(collector->instances.data);
    memset(collector, 0, sizeof *collector);
}

bool sync_collect_instance(struct sync_collector *collector, enum sync_kind kind, uint32_t comm,
                           uint32_t instance, const struct member *members, uint32_t count,
                           const struct member_wait *waits)
{
    uint32_t culprit = INDEX_NONE;
    for (uint32_t i = 0; i < count && culprit == INDEX_NONE; i++)
        if (waits[i].wait > 0)
            culprit = waits[i].cause;
    if (kind == SYNC_NONE || culprit == INDEX_NONE)
        return true;
    struct instance_head head = {
        .point = {.time = members[culprit].enter, .culprit = culprit, .kind = kind, .comm = comm},
        .instance = instance,
        .end_count = count};
    bool complete = outbox_put(&collector->instances, &head, sizeof head);
    for (uint32_t i = 0; i < count && complete; i++) {
        struct sync_end end = {.wait = waits[i].wait,
                               .until = members[i].end,
                               .rank = members[i].rank,
                               .enter_row = members[i].enter_row,
                               .event_row = members[i].end_row,
                               .path = members[i].path};
        complete = outbox_put(&collector->instances, &end, sizeof end);
    }
    return complete;
}

/* --- the table -------------------------------------------------------------------------------- */

/* All processes get what all have, in order of processes. Takes over and frees `data`. */
static enum status gather_all(const struct processes *processes, void *data, size_t size,
                              char **all, size_t *all_size, struct error *error)
{
    *all = data;
    *all_size = size;
    if (processes->size == 1)
        return STATUS_OK;
    enum status status = processes_gather(processes, data, size, all, all_size, NULL, error);
    free(data);
    uint64_t total = *all_size;
    if (status == STATUS_OK) {
        processes_broadcast(processes, &total, sizeof total);
        if (processes->rank != 0 && !(*all = malloc(total ? total : 1)))
            status = error_memory(error, "synchronisation points");
        *all_size = total;
    }
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(processes, *all, total);
    else
        *all_size = 0;
    return status;
}

static void add_point(struct sync_points *table, const struct sync_point *point,
                      const struct sync_end *ends, uint32_t count)
{
    struct sync_point *added = &table->points[table->point_count];
    *added = *point;
    added->first_end = table->end_count;
    added->culprit += table->end_count;
    for (uint32_t i = 0; i < count; i++) {
        table->ends[table->end_count] = ends[i];
        table->ends[table->end_count++].point = table->point_count;
    }
    table->points[++table->point_count].first_end = table->end_count;
}

static int by_instance(const void *a, const void *b)
{
    const struct instance_head *x = *(const struct instance_head *const *)a,
                               *y = *(const struct instance_head *const *)b;
    if (x->point.comm != y->point.comm)
        return x->point.comm < y->point.comm ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

static bool fill(struct sync_points *table, const struct sync_pair *pairs, size_t pair_count,
                 const char *instances, size_t size)
{
    ARRAY(const struct instance_head *) heads = {0};
    size_t ends = 2 * pair_count;
    bool complete = true;
    for (size_t at = 0; at < size && complete;) {
        const struct instance_head *head = (const struct instance_head *)(instances + at);
        complete = array_push(&heads, head);
        ends += head->end_count;
        at += sizeof *head + head->end_count * sizeof(struct sync_end);
    }
    table->points = calloc(pair_count + heads.count + 1, sizeof *table->points);
    table->ends = malloc((ends + 1) * sizeof *table->ends);
    complete = complete && table->points && table->ends;
    if (complete && heads.count > 0)
        qsort(heads.items, heads.count, sizeof(struct instance_head *), by_instance);
    for (size_t i = 0; i < pair_count && complete; i++) {
        struct sync_point point = pairs[i].point;
        point.culprit = 1;
        add_point(table, &point, pairs[i].ends, 2);
    }
    for (size_t i = 0; i < heads.count && complete; i++)
        add_point(table, &heads.items[i]->point, (const struct sync_end *)(heads.items[i] + 1),
                  heads.items[i]->end_count);
    free(heads.items);
    return complete;
}

/* Ends and waits rank by rank, by calls and then by events. `items` has room for all ends. */
static bool put_in_order(struct sync_points *table, struct keyed *items)
{
    const struct sync_end *ends = table->ends;
    uint32_t ranks = table->rank_count;
    for (uint32_t i = 0; i < table->end_count; i++) {
        table->first[ends[i].rank + 1]++;
        items[i] = (struct keyed){ends[i].event_row, i};
    }
    if (!keyed_sort(items, table->end_count))
        return false;
    for (uint32_t i = 0; i < table->end_count; i++) {
        const struct sync_end *end = &ends[items[i].value];
        items[i].key = (uint64_t)end->rank << 32 | end->enter_row;
    }
    if (!keyed_sort(items, table->end_count))
        return false;
    for (uint32_t i = 0; i < table->end_count; i++)
        table->order[i] = items[i].value;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        table->first[rank + 1] += table->first[rank];
        table->first_wait[rank] = table->wait_count;
        for (uint32_t i = table->first[rank]; i < table->first[rank + 1]; i++) {
            int64_t wait = ends[table->order[i]].wait;
            if (wait <= 0)
                continue;
            table->waits[table->wait_count] = table->order[i];
            table->waited[table->wait_count + 1] = table->waited[table->wait_count] + wait;
            table->wait_count++;
        }
    }
    table->first_wait[ranks] = table->wait_count;
    return true;
}

static bool put_in_time(struct sync_points *table, struct keyed *items)
{
    for (uint32_t i = 0; i < table->wait_count; i++) {
        const struct sync_point *point = &table->points[table->ends[table->waits[i]].point];
        items[i] = (struct keyed){sort_key(point->time), i};
    }
    if (!keyed_sort(items, table->wait_count))
        return false;
    for (uint32_t i = 0; i < table->wait_count; i++)
        table->by_time[i] = items[i].value;
    return true;
}

/* False when memory is out. */
static bool make_orders(struct sync_points *table)
{
    size_t ends = (size_t)table->end_count + 1, ranks = (size_t)table->rank_count + 2, waits = 1;
    for (uint32_t i = 0; i < table->end_count; i++)
        waits += table->ends[i].wait > 0;
    struct keyed *items = malloc(ends * sizeof *items);
    table->order = malloc(ends * sizeof *table->order);
    table->first = calloc(ranks, sizeof *table->first);
    table->waits = malloc(waits * sizeof *table->waits);
    table->first_wait = calloc(ranks, sizeof *table->first_wait);
    table->waited = calloc(waits, sizeof *table->waited);
    table->by_time = malloc(waits * sizeof *table->by_time);
    bool complete = items && table->order && table->first && table->waits && table->first_wait &&
                    table->waited && table->by_time && put_in_order(table, items) &&
                    put_in_time(table, items);
    free(items);
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
    char *pairs = NULL, *instances = NULL;
    size_t pairs_size = 0, instances_size = 0;
    memset(points, 0, sizeof *points);
    points->rank_count = trace->rank_count;
    struct sync_collector taken = *collector;
    memset(collector, 0, sizeof *collector);
    enum status status =
        gather_all(processes, taken.pairs.items, taken.pairs.count * sizeof(struct sync_pair),
                   &pairs, &pairs_size, error);
    if (status == STATUS_OK)
        status = gather_all(processes, taken.instances.data, taken.instances.size, &instances,
                            &instances_size, error);
    else
        free(taken.instances.data);
    if (status == STATUS_OK &&
        !fill(points, (const struct sync_pair *)pairs, pairs_size / sizeof(struct sync_pair),
              instances, instances_size))
        status = error_memory(error, "synchronisation points");
    free(pairs);
    free(instances);
    if (status == STATUS_OK && !make_orders(points))
        status = error_memory(error, "synchronisation points");
    status = processes_agree(processes, status, error);
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
