/* Ranks on other nodes: those that send each other most on one node, as far as it has room. Ranks
 * keep their work, so this is a matter of the launcher's options. Ranks are united pair by pair,
 * the heaviest first, as long as they fit on a node; the groups then fill the nodes, the largest
 * first. */
#include "advise/candidates/families.h"

#include "base/map.h"
#include "base/sort.h"
#include "trace/environment.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 4096 /* a longer list of places is of no use to anybody */ };

/* A message weighs as much as so many bytes: what a network moves during its latency. */
static const int64_t MESSAGE_WEIGHT = 10000;

static const char check[] =
    "Bind ranks to nodes by a rank file or the launcher's mapping, or let MPI_Cart_create reorder "
    "them. The nodes must be connected alike.";

struct edge {
    uint32_t a, b; /* ranks, a < b */
    int64_t weight;
};

typedef ARRAY(struct edge) edges;

/* Adds what one rank sends. False when memory is out. */
static bool add_edges(const struct stream *stream, edges *all)
{
    struct map places = {0}; /* receiver: its edge */
    bool complete = true;
    for (uint32_t m = 0; m < stream->message_count && complete; m++) {
        const struct message *message = &stream->messages[m];
        uint32_t other = message->partner_rank;
        if (!message_takes_part(message) || !(message->flags & MESSAGE_SEND) ||
            other == stream->rank)
            continue;
        uint32_t *place = map_at(&places, other, (uint32_t)all->count);
        complete = place != NULL;
        if (complete && *place == all->count) {
            bool before = stream->rank < other;
            struct edge edge = {before ? stream->rank : other, before ? other : stream->rank, 0};
            complete = array_push(all, edge);
        }
        if (complete)
            all->items[*place].weight += (int64_t)message->bytes + MESSAGE_WEIGHT;
    }
    map_clear(&places);
    return complete;
}

static int by_ranks(const void *x, const void *y)
{
    const struct edge *p = x, *q = y;
    return ORDER(p->a, q->a) ?: ORDER(p->b, q->b);
}

static int by_weight(const void *x, const void *y)
{
    const struct edge *p = x, *q = y;
    return ORDER(q->weight, p->weight) ?: by_ranks(x, y);
}

/* Unites the edges of both directions, and sorts them, heaviest first. */
static void sort_edges(edges *all)
{
    size_t kept = 0;
    if (all->count == 0)
        return;
    qsort(all->items, all->count, sizeof *all->items, by_ranks);
    for (size_t i = 0; i < all->count; i++) {
        if (kept > 0 && by_ranks(&all->items[kept - 1], &all->items[i]) == 0)
            all->items[kept - 1].weight += all->items[i].weight;
        else
            all->items[kept++] = all->items[i];
    }
    all->count = kept;
    qsort(all->items, all->count, sizeof *all->items, by_weight);
}

struct plan {
    uint32_t rank_count, host_count;
    uint32_t *host;  /* [rank]: where it is */
    uint32_t *room;  /* [host]: of so many ranks */
    uint32_t *group; /* [rank]: another rank of its group, or itself */
    uint32_t *size;  /* [rank that stands for its group] */
    uint32_t *place; /* [rank]: the rank whose place it gets */
    uint32_t *order; /* [rank] */
};

static uint32_t group_of(struct plan *plan, uint32_t rank)
{
    while (plan->group[rank] != rank) {
        plan->group[rank] = plan->group[plan->group[rank]];
        rank = plan->group[rank];
    }
    return rank;
}

static void unite(struct plan *plan, const edges *all)
{
    uint32_t most = 0;
    for (uint32_t h = 0; h < plan->host_count; h++)
        most = plan->room[h] > most ? plan->room[h] : most;
    for (size_t i = 0; i < all->count; i++) {
        uint32_t a = group_of(plan, all->items[i].a), b = group_of(plan, all->items[i].b);
        if (a == b || plan->size[a] + plan->size[b] > most)
            continue;
        uint32_t first = a < b ? a : b, second = a < b ? b : a;
        plan->group[second] = first;
        plan->size[first] += plan->size[second];
    }
}

/* The host for a group: the one where most of it is already, if it has room; else that with most
 * room.
 */
static uint32_t host_for(struct plan *plan, uint32_t group, const uint32_t *room)
{
    uint32_t best = plan->host[group];
    if (room[best] >= plan->size[group])
        return best;
    for (uint32_t h = 0; h < plan->host_count; h++)
        if (room[h] > room[best])
            best = h;
    return best;
}

/* Sets plan->order: the rank that stands for a group, larger groups first. Returns their number. */
static uint32_t sort_groups(struct plan *plan, struct keyed *keys)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < plan->rank_count; r++)
        if (group_of(plan, r) == r)
            keys[count++] = (struct keyed){UINT32_MAX - plan->size[r], r};
    if (!keyed_sort(keys, count))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        plan->order[i] = keys[i].value;
    return count;
}

/* A free place on a host: the next rank of the recording there. `next` [host]. */
static uint32_t take_place(const struct plan *plan, uint32_t host, uint32_t *next)
{
    while (plan->host[next[host]] != host)
        next[host]++;
    return next[host]++;
}

/* Gives each rank a place. A group that fits nowhere as a whole fills several hosts. */
static void fill_hosts(struct plan *plan, uint32_t groups, uint32_t *room, uint32_t *next)
{
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t host = host_for(plan, plan->order[g], room);
        for (uint32_t r = 0; r < plan->rank_count; r++) {
            if (group_of(plan, r) != plan->order[g])
                continue;
            for (uint32_t h = 0; h < plan->host_count && room[host] == 0; h++)
                if (room[h] > 0)
                    host = h;
            room[host]--;
            plan->place[r] = take_place(plan, host, next);
        }
    }
}

static void clear_plan(struct plan *plan)
{
    free(plan->host);
}

/* One block, which begins with `host`. False when memory is out. */
static bool open_plan(struct plan *plan, const struct trace *trace)
{
    const uint32_t count = trace->rank_count;
    uint32_t *block = calloc(6ul * count + 6, sizeof *block);
    *plan = (struct plan){.rank_count = count, .host = block};
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

/* False when memory is out. */
static bool place_ranks(struct plan *plan, edges *all)
{
    uint32_t *room = calloc(2ul * plan->host_count + 1, sizeof *room);
    struct keyed *keys = calloc(plan->rank_count + 1ul, sizeof *keys);
    bool complete = room && keys;
    if (complete) {
        memcpy(room, plan->room, plan->host_count * sizeof *room);
        sort_edges(all);
        unite(plan, all);
        uint32_t groups = sort_groups(plan, keys);
        complete = groups > 0;
        if (complete)
            fill_hosts(plan, groups, room, room + plan->host_count);
    }
    free(room);
    free(keys);
    return complete;
}

/* Whether a recording shows what messages between nodes cost beside those within one: without both,
 * no placement seems better than another. */
static bool has_both(const struct plan *plan, const edges *all)
{
    bool near = false, far = false;
    for (size_t i = 0; i < all->count; i++) {
        bool same = plan->host[all->items[i].a] == plan->host[all->items[i].b];
        near |= same;
        far |= !same;
    }
    return near && far;
}

/* How many ranks get a place on another host. */
static uint32_t count_moved(const struct plan *plan)
{
    uint32_t moved = 0;
    for (uint32_t r = 0; r < plan->rank_count; r++)
        moved += plan->host[plan->place[r]] != plan->host[r];
    return moved;
}

static bool add(const struct plan *plan, struct candidate_list *list)
{
    uint32_t moved = count_moved(plan);
    char *text = calloc(plan->rank_count + 1ul, sizeof ", 4294967295");
    size_t length = 0;
    if (!text || moved == 0) {
        free(text);
        return moved == 0;
    }
    for (uint32_t r = 0; r < plan->rank_count; r++)
        length += (size_t)sprintf(text + length, "%s%u", r ? ", " : "", plan->place[r]);
    bool complete = candidate_add(
        list, (struct candidate){
                  .kind = "placement",
                  .effort = EFFORT_SMALL,
                  .path = CALLPATH_NONE,
                  .region = INDEX_NONE,
                  .ranks = moved,
                  .cause = "placement",
                  .sections = candidate_text(list, "[remap]\nplaces = %s\n", text),
                  .change = candidate_text(list,
                                           "Put ranks that send each other most on one node: %u of "
                                           "%u ranks get a place on another of the %u nodes.",
                                           moved, plan->rank_count, plan->host_count),
                  .check = check,
              });
    free(text);
    return complete;
}

static enum status propose(const struct facts *facts, struct candidate_list *list,
                           struct error *error)
{
    const struct trace *trace = facts->trace;
    struct plan plan;
    edges all = {0};
    if (trace->rank_count > RANKS_MOST)
        return STATUS_OK;
    bool complete = open_plan(&plan, trace);
    for (uint32_t i = 0; i < trace->owned_count && complete && plan.host_count > 1; i++)
        complete = add_edges(&trace->streams[i], &all);
    enum status status = processes_agree_memory(trace->processes, complete, "the advice", error);
    if (status == STATUS_OK && plan.host_count > 1)
        status = processes_share(trace->processes, &all, "the advice", error);
    if (status == STATUS_OK && plan.host_count > 1 &&
        (facts->knows_distances || has_both(&plan, &all))) {
        complete = place_ranks(&plan, &all) && add(&plan, list);
        status = processes_agree_memory(trace->processes, complete, "the advice", error);
    }
    free(all.items);
    clear_plan(&plan);
    return status;
}

const struct candidate_family candidates_placement = {
    .name = "placement",
    .description = "ranks on other nodes",
    .propose = propose,
};
