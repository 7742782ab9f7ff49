/* Another placement of the ranks: ranks that exchange most are placed on one node, up to its number
 * of ranks. Ranks keep their work, so only options of the launcher change. Ranks are grouped pair
 * by pair, the pair with most traffic first, as long as the group fits on a node. The groups then
 * fill the nodes, the largest group first. */
#include "advise/candidates/families.h"

#include "base/sort.h"
#include "trace/calls/message_pairs.h"
#include "trace/environment.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 4096 }; /* a longer list of places is of no use */

/* The bytes that a usual network moves during its latency (1 us, 10 GB/s): a message costs as much
 * as these, in addition to its size. */
static const int64_t MESSAGE_WEIGHT = 10000;

static const char placement_check[] =
    "Bind ranks to nodes by a rank file or a mapping of the launcher, or let MPI_Cart_create "
    "reorder them. The prediction assumes the same distance between any two nodes.";

/* The traffic between two ranks. */
struct rank_pair {
    uint32_t a, b; /* ranks, a < b */
    int64_t weight;
};

typedef ARRAY(struct rank_pair) rank_pairs;

/* Adds the messages of all ranks, without those to themselves. False when out of memory. */
static bool add_sent_pairs(const struct message_pairs *sent, rank_pairs *all)
{
    for (size_t i = 0; i < sent->count; i++) {
        const struct message_pair *pair = &sent->items[i];
        bool before = pair->from < pair->to;
        if (pair->messages > 0 && pair->from != pair->to &&
            !array_push(all, ((struct rank_pair){
                                 before ? pair->from : pair->to, before ? pair->to : pair->from,
                                 (int64_t)pair->bytes + (int64_t)pair->messages * MESSAGE_WEIGHT})))
            return false;
    }
    return true;
}

ORDER_BY(order_by_ranks, struct rank_pair, ASCENDING(a) ?: ASCENDING(b))

static int order_by_weight(const void *x, const void *y)
{
    const struct rank_pair *p = x, *q = y;
    return ORDER(q->weight, p->weight) ?: order_by_ranks(x, y);
}

/* Merges the two directions of each pair, and sorts the pairs by weight, largest first. */
static void sort_pairs(rank_pairs *all)
{
    size_t kept = 0;
    if (all->count == 0)
        return;
    qsort(all->items, all->count, sizeof *all->items, order_by_ranks);
    for (size_t i = 0; i < all->count; i++) {
        if (kept > 0 && order_by_ranks(&all->items[kept - 1], &all->items[i]) == 0)
            all->items[kept - 1].weight += all->items[i].weight;
        else
            all->items[kept++] = all->items[i];
    }
    all->count = kept;
    qsort(all->items, all->count, sizeof *all->items, order_by_weight);
}

struct placement_plan {
    uint32_t rank_count, host_count;
    uint32_t *host;  /* [rank]: its host in the recording */
    uint32_t *room;  /* [host]: number of its ranks */
    uint32_t *group; /* [rank]: another rank of its group; the representative has itself */
    uint32_t *size;  /* [representative]: number of ranks of the group */
    uint32_t *place; /* [rank]: the rank whose place it gets */
    uint32_t *order; /* representatives, those of larger groups first */
};

/* The representative of the group of a rank. */
static uint32_t representative(struct placement_plan *plan, uint32_t rank)
{
    while (plan->group[rank] != rank) {
        plan->group[rank] = plan->group[plan->group[rank]];
        rank = plan->group[rank];
    }
    return rank;
}

static void group_ranks(struct placement_plan *plan, const rank_pairs *all)
{
    uint32_t most = 0;
    for (uint32_t h = 0; h < plan->host_count; h++)
        most = plan->room[h] > most ? plan->room[h] : most;
    for (size_t i = 0; i < all->count; i++) {
        uint32_t a = representative(plan, all->items[i].a),
                 b = representative(plan, all->items[i].b);
        if (a == b || plan->size[a] + plan->size[b] > most)
            continue;
        uint32_t first = a < b ? a : b, second = a < b ? b : a;
        plan->group[second] = first;
        plan->size[first] += plan->size[second];
    }
}

/* The host for a group: that of its representative if the group fits there, otherwise the host with
 * most room. */
static uint32_t host_for_group(struct placement_plan *plan, uint32_t group, const uint32_t *room)
{
    uint32_t best = plan->host[group];
    if (room[best] >= plan->size[group])
        return best;
    for (uint32_t h = 0; h < plan->host_count; h++)
        if (room[h] > room[best])
            best = h;
    return best;
}

/* Sets plan->order. Returns the number of groups; 0 when out of memory. */
static uint32_t sort_groups(struct placement_plan *plan, struct keyed *keys)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < plan->rank_count; r++)
        if (representative(plan, r) == r)
            keys[count++] = (struct keyed){UINT32_MAX - plan->size[r], r};
    if (!keyed_sort(keys, count))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        plan->order[i] = keys[i].value;
    return count;
}

/* A free place on a host: that of the next rank there in the recording. `next`: [host]. */
static uint32_t take_rank_of_host(const struct placement_plan *plan, uint32_t host, uint32_t *next)
{
    while (plan->host[next[host]] != host)
        next[host]++;
    return next[host]++;
}

/* Gives each rank a place. A group that does not fit on one host is split over several. */
static void fill_hosts(struct placement_plan *plan, uint32_t groups, uint32_t *room, uint32_t *next)
{
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t host = host_for_group(plan, plan->order[g], room);
        for (uint32_t r = 0; r < plan->rank_count; r++) {
            if (representative(plan, r) != plan->order[g])
                continue;
            for (uint32_t h = 0; h < plan->host_count && room[host] == 0; h++)
                if (room[h] > 0)
                    host = h;
            room[host]--;
            plan->place[r] = take_rank_of_host(plan, host, next);
        }
    }
}

static void placement_plan_clear(struct placement_plan *plan)
{
    free(plan->host);
}

/* All arrays are one block, which starts with `host`. False when out of memory. */
static bool placement_plan_make(struct placement_plan *plan, const struct trace *trace)
{
    const uint32_t count = trace->rank_count;
    uint32_t *block = calloc(6ul * count + 6, sizeof *block);
    *plan = (struct placement_plan){.rank_count = count, .host = block};
    if (!block || !environment_number_hosts(trace, plan->host))
        return false;
    plan->room = block + count;
    plan->group = block + 2ul * count;
    plan->size = block + 3ul * count;
    plan->place = block + 4ul * count;
    plan->order = block + 5ul * count;
    for (uint32_t r = 0; r < count; r++) {
        plan->room[plan->host[r]]++;
        plan->host_count = plan->host[r] >= plan->host_count ? plan->host[r] + 1 : plan->host_count;
        plan->group[r] = plan->place[r] = r;
        plan->size[r] = 1;
    }
    return true;
}

/* False when out of memory. */
static bool assign_places(struct placement_plan *plan, rank_pairs *all)
{
    uint32_t *room = calloc(2ul * plan->host_count + 1, sizeof *room);
    struct keyed *keys = calloc(plan->rank_count + 1ul, sizeof *keys);
    bool complete = room && keys;
    if (complete) {
        memcpy(room, plan->room, plan->host_count * sizeof *room);
        sort_pairs(all);
        group_ranks(plan, all);
        uint32_t groups = sort_groups(plan, keys);
        complete = groups > 0;
        if (complete)
            fill_hosts(plan, groups, room, room + plan->host_count);
    }
    free(room);
    free(keys);
    return complete;
}

/* True if the recording has messages within nodes and between nodes, so it shows their costs.
 * Without both, all placements would seem equal. */
static bool has_near_and_far(const struct placement_plan *plan, const rank_pairs *all)
{
    bool near = false, far = false;
    for (size_t i = 0; i < all->count; i++) {
        bool same = plan->host[all->items[i].a] == plan->host[all->items[i].b];
        near |= same;
        far |= !same;
    }
    return near && far;
}

/* The number of ranks that get a place on another host. */
static uint32_t count_moved(const struct placement_plan *plan)
{
    uint32_t moved = 0;
    for (uint32_t r = 0; r < plan->rank_count; r++)
        moved += plan->host[plan->place[r]] != plan->host[r];
    return moved;
}

static void add_placement(const struct placement_plan *plan, struct candidate_list *list)
{
    uint32_t moved = count_moved(plan);
    char *text = calloc(plan->rank_count + 1ul, sizeof ", 4294967295");
    size_t length = 0;
    if (!text || moved == 0) {
        list->out_of_memory |= !text;
        free(text);
        return;
    }
    for (uint32_t r = 0; r < plan->rank_count; r++)
        length += (size_t)sprintf(text + length, "%s%u", r ? ", " : "", plan->place[r]);
    candidate_add(
        list, (struct advice_candidate){
                  .kind = "placement",
                  .effort = EFFORT_SMALL,
                  .path = CALLPATH_NONE,
                  .region = INDEX_NONE,
                  .ranks = moved,
                  .cause = "placement",
                  .sections = candidate_text(list, "[remap]\nplaces = %s\n", text),
                  .change = candidate_text(list,
                                           "Place ranks that exchange most on one node: %u of %u "
                                           "ranks move to another one of the %u nodes.",
                                           moved, plan->rank_count, plan->host_count),
                  .check = placement_check,
              });
    free(text);
}

static enum status propose_placement(const struct facts *facts, struct candidate_list *list,
                                     struct error *error)
{
    const struct trace *trace = facts->trace;
    struct placement_plan plan;
    struct message_pairs sent = {0};
    rank_pairs all = {0};
    if (trace->rank_count > RANKS_MOST)
        return STATUS_OK;
    bool complete = placement_plan_make(&plan, trace);
    if (complete && plan.host_count > 1)
        complete = message_pairs_add(trace, &sent);
    enum status status = processes_agree_memory(trace->processes, complete, "the advice", error);
    if (status == STATUS_OK && plan.host_count > 1)
        status = processes_share(trace->processes, &sent, "the advice", error);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, add_sent_pairs(&sent, &all), "the advice",
                                        error);
    free(sent.items);
    if (status == STATUS_OK && plan.host_count > 1 &&
        (facts->knows_distances || has_near_and_far(&plan, &all))) {
        list->out_of_memory |= !assign_places(&plan, &all);
        if (!list->out_of_memory)
            add_placement(&plan, list);
    }
    free(all.items);
    placement_plan_clear(&plan);
    return status;
}

const struct candidate_family candidates_placement = {
    .name = "placement",
    .description = "another placement of the ranks on the nodes",
    .propose = propose_placement,
};
