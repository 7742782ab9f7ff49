#include "structure/order.h"

#include "base/map.h"
#include "structure/prediction.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    ORDERED_MOST = 8,     /* sorts of calls in a body */
    CALLS_LEAST = 16,     /* of a sort, by all ranks */
    SORTS = 1 << 12,      /* by a hash; of two with the same one there is one sort */
    ITERATIONS_LEAST = 8, /* that only the order of calls shows */
    RANKS_LEAST = 3,      /* of two, one answers the other: that is an iteration */
};

/* The sorts of calls of all ranks, in the order in which they mostly follow each other. Calls of a
 * sort have one call path, and one tag if `by_tag`. */
struct call_order {
    bool by_tag;
    uint32_t sorts[ORDERED_MOST];
    size_t count; /* 0: there are more, or only one */
};

static uint32_t sort_of(const struct call_order *order, const struct rank_calls *rank, size_t call)
{
    assert(call < rank->count && rank->tags);
    const uint64_t tag = order->by_tag ? rank->tags[call] + UINT64_C(1) : 0;
    return (uint32_t)(map_mix(map_mix(call_path(rank, call) + UINT64_C(1)) ^ tag) % SORTS);
}

/* Collective. Sets order->sorts to those of all ranks, by hash. */
static enum status list_sorts(const struct calls *calls, struct call_order *order,
                              struct error *error)
{
    const struct trace *trace = calls->trace;
    int64_t *used = calloc(SORTS, sizeof *used);
    enum status status =
        processes_agree_memory(trace->processes, used != NULL, "iterations", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        for (size_t c = 0; c < calls->ranks[s].count; c++)
            used[sort_of(order, &calls->ranks[s], c)]++;
    if (status == STATUS_OK)
        processes_sum(trace->processes, used, SORTS);
    for (uint32_t i = 0; i < SORTS && status == STATUS_OK; i++)
        if (used[i] >= CALLS_LEAST && ++order->count <= ORDERED_MOST)
            order->sorts[order->count - 1] = i;
    free(used);
    if (order->count > ORDERED_MOST || order->count < 2)
        order->count = 0;
    return status;
}

/* Collective. Whether all ranks make the same calls one after the other: none takes a turn. */
static bool all_ranks_alike(const struct calls *calls)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t s = 0; s < calls->trace->owned_count; s++) {
        uint64_t hash = 0;
        for (size_t c = 0; c < calls->ranks[s].count; c++)
            hash = map_mix(hash + call_path(&calls->ranks[s], c) + 1);
        least = (int64_t)hash < least ? (int64_t)hash : least;
        most = (int64_t)hash > most ? (int64_t)hash : most;
    }
    processes_min(calls->trace->processes, &least, 1);
    processes_max(calls->trace->processes, &most, 1);
    return least == most;
}

static size_t place_of(const struct call_order *order, const struct rank_calls *rank, size_t call)
{
    const uint32_t sort = sort_of(order, rank, call);
    size_t i = 0;
    while (i < order->count && order->sorts[i] != sort)
        i++;
    return i;
}

/* Collective. No order is found if all ranks make the same calls, or of two ranks. */
static enum status find_order(const struct calls *calls, bool by_tag, struct call_order *order,
                              struct error *error)
{
    int64_t follows[ORDERED_MOST][ORDERED_MOST] = {{0}};
    *order = (struct call_order){.by_tag = by_tag};
    const enum status status = list_sorts(calls, order, error);
    if (status == STATUS_OK && (calls->trace->rank_count < RANKS_LEAST || all_ranks_alike(calls)))
        order->count = 0;
    for (uint32_t s = 0; s < calls->trace->owned_count && order->count > 0; s++) {
        const struct rank_calls *rank = &calls->ranks[s];
        size_t before = SIZE_MAX;
        for (size_t c = 0; c < rank->count; c++) {
            const size_t now = place_of(order, rank, c);
            if (now == order->count)
                continue;
            if (before != SIZE_MAX)
                follows[before][now]++;
            before = now;
        }
    }
    processes_sum(calls->trace->processes, &follows[0][0], sizeof follows / sizeof follows[0][0]);
    const struct call_order known = *order;
    size_t last = 0;
    bool taken[ORDERED_MOST] = {true};
    for (size_t i = 1; i < order->count; i++) {
        size_t next = SIZE_MAX;
        for (size_t k = 0; k < order->count; k++)
            if (!taken[k] && (next == SIZE_MAX || follows[last][k] > follows[last][next]))
                next = k;
        taken[next] = true;
        order->sorts[i] = known.sorts[next];
        last = next;
    }
    return status;
}

/* The ways to divide calls: the body begins with each of the sorts; of two sorts also all sets of
 * pairs that may begin an iteration. */
static uint32_t count_ways(const struct call_order *order)
{
    return (uint32_t)order->count + (order->count == 2 ? 1u << order->count * order->count : 0);
}

/* Whether an iteration begins with a call that follows another one. */
static bool begins_iteration(const struct call_order *order, uint32_t way, size_t before,
                             size_t now)
{
    const size_t count = order->count;
    if (way >= count)
        return (way - count) >> (count * before + now) & 1;
    return (now + count - way) % count <= (before + count - way) % count;
}

/* The boundaries of the iterations of a rank: `count` and one, the last one after the last call.
 * The caller frees the result; NULL if out of memory. */
static uint32_t *divide_calls(const struct rank_calls *rank, const struct call_order *order,
                              uint32_t way, size_t *count)
{
    uint32_t *begin = malloc((rank->count + 1) * sizeof *begin);
    size_t before = SIZE_MAX, n = 0;
    uint32_t end = 0;
    for (uint32_t c = 0; c < rank->count && begin; c++) {
        const size_t now = place_of(order, rank, c);
        if (now == order->count)
            continue;
        end = c + 1;
        if (before == SIZE_MAX || begins_iteration(order, way, before, now))
            begin[n++] = c;
        before = now;
    }
    if (begin)
        begin[n] = end;
    *count = n;
    return begin;
}

/* A way to divide the calls of all ranks. */
struct division {
    uint32_t **begin; /* [owned rank]; NULL: does not take part */
    int64_t count;    /* 0: the ranks have different numbers of iterations */
    double agreement;
    uint64_t differing; /* iterations */
};

static void clear_division(const struct trace *trace, struct division *division)
{
    for (uint32_t s = 0; s < trace->owned_count && division->begin; s++)
        free(division->begin[s]);
    free(division->begin);
    *division = (struct division){0};
}

/* Collective. */
static enum status divide_all_ranks(const struct calls *calls, const struct order_demand *demand,
                                    const struct call_order *order, uint32_t way,
                                    struct division *division, struct error *error)
{
    const struct trace *trace = calls->trace;
    int64_t fewest = INT64_MAX, most = 0;
    *division =
        (struct division){.begin = calloc((size_t)trace->owned_count + 1, sizeof *division->begin)};
    bool allocated = division->begin != NULL;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        size_t count;
        if (!demand->takes_part[s])
            continue;
        division->begin[s] = divide_calls(&calls->ranks[s], order, way, &count);
        allocated = division->begin[s] != NULL;
        fewest = (int64_t)count < fewest ? (int64_t)count : fewest;
        most = (int64_t)count > most ? (int64_t)count : most;
    }
    processes_min(trace->processes, &fewest, 1);
    processes_max(trace->processes, &most, 1);
    if (fewest == most && fewest >= ITERATIONS_LEAST && fewest >= (int64_t)demand->fewest)
        division->count = fewest;
    return processes_agree_memory(trace->processes, allocated, "iterations", error);
}

/* Whether fewer iterations differ than in `best`, or as many, and more ties agree. */
static bool is_better_division(const struct division *division, const struct division *best)
{
    return best->count == 0 || division->differing < best->differing ||
           (division->differing == best->differing && division->agreement > best->agreement);
}

/* Collective. Keeps the way in `best` if it satisfies the demand and is better. */
static enum status try_way(const struct calls *calls, const struct ties *ties,
                           const struct order_demand *demand, const struct call_order *order,
                           uint32_t way, struct division *best, struct error *error)
{
    struct division division;
    enum status status = divide_all_ranks(calls, demand, order, way, &division, error);
    const size_t count = (size_t)division.count;
    const uint32_t *const *begin = (const uint32_t *const *)division.begin;
    if (status == STATUS_OK && count > 0)
        status = ties_agree(ties, begin, count, &division.agreement, error);
    const bool agrees = status == STATUS_OK && count > 0 && division.agreement >= demand->agreement;
    if (agrees)
        status = contents_compare(calls, begin, count, demand->content, &division.differing, error);
    if (status == STATUS_OK && agrees && is_better_division(&division, best) &&
        ((double)division.differing < demand->differing ||
         (double)division.differing <= demand->differing_part * (double)count)) {
        const struct division other = *best;
        *best = division;
        division = other;
    }
    clear_division(calls->trace, &division);
    return status;
}

/* Collective. Whether the calls of all ranks do not come in random order. */
static enum status check_order(const struct calls *calls, const bool *takes_part, bool *random,
                               struct error *error)
{
    int64_t ranks = 0;
    bool allocated = true;
    for (uint32_t s = 0; s < calls->trace->owned_count && allocated; s++) {
        struct call_prediction prediction;
        allocated = !takes_part[s] || call_prediction_make(&calls->ranks[s], &prediction);
        if (!takes_part[s] || !allocated)
            continue;
        ranks += !calls_are_predictable(&prediction, 0, (uint32_t)calls->ranks[s].count);
        call_prediction_clear(&prediction);
    }
    processes_sum(calls->trace->processes, &ranks, 1);
    *random = ranks > 0;
    return processes_agree_memory(calls->trace->processes, allocated, "iterations", error);
}

/* Adds the boundaries to the loops, which free them. */
static bool add_loops(const struct trace *trace, struct division *best, loop_list *loops)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        if (!best->begin[s])
            continue;
        const struct loop loop = {
            .likeness = ALIKE_IN_ORDER, .iterations = (size_t)best->count, .begin = best->begin[s]};
        if (!array_push(&loops[s], loop))
            return false;
        best->begin[s] = NULL;
    }
    return true;
}

enum status order_find(const struct calls *calls, const struct ties *ties,
                       const struct order_demand *demand, loop_list *loops, uint64_t *iterations,
                       uint32_t *path, struct error *error)
{
    const struct trace *trace = calls->trace;
    struct division best = {0};
    bool checked = false, random = false;
    *iterations = 0;
    enum status status = STATUS_OK;
    for (int by_tag = 1; by_tag >= 0 && best.count == 0 && status == STATUS_OK; by_tag--) {
        struct call_order order;
        status = find_order(calls, by_tag, &order, error);
        if (status == STATUS_OK && order.count > 0 && !checked) {
            status = check_order(calls, demand->takes_part, &random, error);
            checked = true;
        }
        for (uint32_t way = 0; way < count_ways(&order) && status == STATUS_OK && !random; way++)
            status = try_way(calls, ties, demand, &order, way, &best, error);
    }
    if (status == STATUS_OK && best.count > 0) {
        int64_t first = UINT32_MAX;
        for (uint32_t s = 0; s < trace->owned_count; s++)
            if (best.begin[s] && call_path(&calls->ranks[s], best.begin[s][0]) < first)
                first = call_path(&calls->ranks[s], best.begin[s][0]);
        processes_min(trace->processes, &first, 1);
        *path = (uint32_t)first;
        *iterations = (uint64_t)best.count;
        status = processes_agree_memory(trace->processes, add_loops(trace, &best, loops),
                                        "iterations", error);
    }
    clear_division(trace, &best);
    return status;
}
