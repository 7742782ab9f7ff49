#include "patterns/sync_exchange.h"

#include <stdlib.h>
#include <string.h>

static const char purpose[] = "synchronisation points"; /* of memory */

struct sync_pair { /* as it is sent */
    struct sync_point point;
    struct sync_end ends[2];
};

/* Inserts the received pairs before or after the own ones, by the ranks that wait. */
static bool insert_pairs(const struct trace *trace, struct sync_collector *collector,
                         const struct sync_pair *arrived, size_t count)
{
    const size_t own = collector->pairs.count;
    size_t before = 0;
    if (count == 0)
        return true;
    while (before < count && arrived[before].ends[0].rank < trace->first_rank)
        before++;
    if (!array_reserve(&collector->pairs, count) ||
        !array_reserve(&collector->pair_ends, 2 * count))
        return false;
    struct sync_point *points = collector->pairs.items;
    struct sync_end *ends = collector->pair_ends.items;
    memmove(points + before, points, own * sizeof *points);
    memmove(ends + 2 * before, ends, 2 * own * sizeof *ends);
    for (size_t i = 0; i < count; i++) {
        const size_t place = i < before ? i : own + i;
        points[place] = arrived[i].point;
        memcpy(&ends[2 * place], arrived[i].ends, sizeof arrived[i].ends);
    }
    collector->pairs.count += count;
    collector->pair_ends.count += 2 * count;
    return true;
}

enum status sync_exchange_pairs(const struct trace *trace, struct sync_collector *collector,
                                struct error *error)
{
    struct exchange exchange = exchange_open(trace->processes, sizeof(struct sync_pair), purpose);
    struct received arrived;
    for (size_t i = 0; i < collector->pairs.count && trace->processes->size > 1; i++) {
        struct sync_pair pair = {.point = collector->pairs.items[i]};
        memcpy(pair.ends, &collector->pair_ends.items[2 * i], sizeof pair.ends);
        if (pair.ends[1].rank - trace->first_rank >= trace->owned_count)
            exchange_put_owner(&exchange, trace, pair.ends[1].rank, &pair);
    }
    enum status status = exchange_run(&exchange, &arrived, error);
    if (status == STATUS_OK)
        status = processes_agree_memory(
            trace->processes, insert_pairs(trace, collector, arrived.items, arrived.count), purpose,
            error);
    free(arrived.items);
    return status;
}

/* The parts of an instance that are sent to the processes. */
struct instance_shares {
    const struct trace *trace;
    struct exchange *exchange;
    uint32_t *counts; /* [process] ends for it, all 0 between instances */
    int *touched;     /* [process] those with counts */
    int touched_count;
};

static bool put_head(const struct instance_shares *shares, int process,
                     struct sync_instance instance)
{
    return bytes_put(exchange_buffer(shares->exchange, process), &instance, sizeof instance);
}

static bool put_sync_end(const struct instance_shares *shares, int process,
                         const struct sync_end *end)
{
    return bytes_put(exchange_buffer(shares->exchange, process), end, sizeof *end);
}

/* The culprit's owner gets all ends. */
static bool send_whole(const struct instance_shares *shares, int process,
                       const struct sync_instance *instance, const struct sync_end *ends)
{
    struct sync_instance whole = *instance;
    whole.point.whole = true;
    return put_head(shares, process, whole) && bytes_put(exchange_buffer(shares->exchange, process),
                                                         ends, instance->end_count * sizeof *ends);
}

static void count_shares(struct instance_shares *shares, const struct sync_instance *instance,
                         const struct sync_end *ends, int but)
{
    for (uint32_t i = 0; i < instance->end_count; i++) {
        const int process = trace_owner(shares->trace, ends[i].rank);
        if (process != but && shares->counts[process]++ == 0)
            shares->touched[shares->touched_count++] = process;
    }
}

/* The owners of other members get these members' ends, and the culprit's. */
static bool send_member_ends(struct instance_shares *shares, const struct sync_instance *instance,
                             const struct sync_end *ends, int but)
{
    const struct sync_end *culprit = &ends[instance->point.culprit];
    struct sync_instance part = *instance;
    bool allocated = true;
    for (int i = 0; i < shares->touched_count && allocated; i++) {
        const int process = shares->touched[i];
        part.point.culprit = shares->counts[process];
        part.end_count = shares->counts[process] + 1;
        allocated = put_head(shares, process, part);
    }
    for (uint32_t i = 0; i < instance->end_count && allocated; i++) {
        const int process = trace_owner(shares->trace, ends[i].rank);
        allocated = process == but || put_sync_end(shares, process, &ends[i]);
    }
    for (int i = 0; i < shares->touched_count; i++) {
        allocated = allocated && put_sync_end(shares, shares->touched[i], culprit);
        shares->counts[shares->touched[i]] = 0;
    }
    shares->touched_count = 0;
    return allocated;
}

static bool send_instances(struct instance_shares *shares, const struct sync_collector *collector)
{
    const struct sync_end *ends = collector->instance_ends.items;
    bool allocated = true;
    for (size_t i = 0; i < collector->instances.count && allocated; i++) {
        const struct sync_instance *instance = &collector->instances.items[i];
        const int owner = trace_owner(shares->trace, ends[instance->point.culprit].rank);
        allocated = send_whole(shares, owner, instance, ends);
        if (shares->trace->processes->size > 1) {
            count_shares(shares, instance, ends, owner);
            allocated = allocated && send_member_ends(shares, instance, ends, owner);
        }
        ends += instance->end_count;
    }
    return allocated;
}

enum status sync_exchange_instances(const struct trace *trace, struct sync_collector *collector,
                                    struct received *arrived, struct error *error)
{
    const size_t processes = (size_t)trace->processes->size;
    struct exchange exchange = exchange_open(trace->processes, 1, purpose);
    struct instance_shares shares = {.trace = trace,
                                     .exchange = &exchange,
                                     .counts = calloc(processes, sizeof *shares.counts),
                                     .touched = malloc(processes * sizeof *shares.touched)};
    exchange_check(&exchange,
                   shares.counts && shares.touched && send_instances(&shares, collector));
    free(shares.counts);
    free(shares.touched);
    free(collector->instances.items);
    free(collector->instance_ends.items);
    memset(&collector->instances, 0, sizeof collector->instances);
    memset(&collector->instance_ends, 0, sizeof collector->instance_ends);
    return exchange_run(&exchange, arrived, error);
}
