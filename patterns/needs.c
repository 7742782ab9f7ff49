/* Operations in which each member waits for the last of those that it needs. With B_j the time at
 * which member j has begun (nonblocking: posted) the operation, E_i the time at which i has ended
 * (completed) it, and F_i the time from which i only waits (B_i; nonblocking: the enter of the
 * completing call, unless that is a Test call):
 *
 *     limit_i      = max of B_j over the members j that i needs
 *     wait_i       = max(0, min(limit_i, E_i) - F_i)
 *     completion_i = max(0, E_i - max(B_i, min E, min(limit_i, E_i)))   blocking only
 *
 * Who is needed (doc/methods.md, section 8, and the MPI standard's chapter on collective
 * communication): the members that send bytes to i by i's receive counts, where they are recorded;
 * otherwise the data flow decides (trace/calls/collective_operations.h): all members in a barrier,
 * the root by those that receive from it, the senders by the root, in prefix reductions the senders
 * of lower rank, else all that send. Between two groups only members of the other group count. */
#include "patterns/collective_waits.h"

#include "trace/calls/collective_operations.h"

#include <assert.h>

bool needs_apply(const struct definitions *definitions, const struct collective *collective)
{
    return collective->flags & (COLLECTIVE_NONBLOCKING | COLLECTIVE_NEIGHBOUR) ||
           definitions->comms[collective->comm].remote_group != INDEX_NONE ||
           (collective_operations[collective->op].flow == FLOW_PAIRS &&
            collective->receive_counts != INDEX_NONE);
}

struct side { /* members of one group */
    const struct member *members;
    uint32_t count;
};

/* The member with that rank in its group, NULL if its part is unknown. */
static const struct member *find_member(struct side side, uint32_t comm_rank)
{
    if (comm_rank < side.count && side.members[comm_rank].part.comm_rank == comm_rank)
        return side.members + comm_rank;
    for (uint32_t i = 0; i < side.count; i++)
        if (side.members[i].part.comm_rank == comm_rank)
            return side.members + i;
    return NULL;
}

/* The needed member that begins last; the first of several. */
struct limit {
    int64_t begin;             /* INT64_MIN: no member is needed */
    const struct member *peer; /* NULL likewise */
};

static void need(struct limit *limit, const struct member *peer)
{
    if (peer->begin > limit->begin)
        *limit = (struct limit){peer->begin, peer};
}

/* The limit from the members that send to it by its own counts. */
static struct limit limit_by_counts(const struct definitions *definitions,
                                    const struct member *member, struct side peers)
{
    const struct group *counts = &definitions->groups[member->receive_counts];
    const struct group *sources =
        member->sources == INDEX_NONE ? NULL : &definitions->groups[member->sources];
    struct limit limit = {INT64_MIN, NULL};
    for (uint32_t i = 0; i < counts->count && (!sources || i < sources->count); i++) {
        uint32_t rank = sources ? (uint32_t)sources->members[i] : i;
        const struct member *peer = counts->members[i] ? find_member(peers, rank) : NULL;
        if (peer)
            need(&limit, peer);
    }
    return limit;
}

/* The limit by data flow, whatever the counts are: the same for all members of a group that need
 * any, so that each member is visited once. */
struct needed_flow {
    bool is_prefix, two_groups;
    struct limit last[2]; /* [second group]: its last sender; in a prefix reduction up to the
                             current member */
};

static void add_giver(struct needed_flow *flow, const struct member *member)
{
    if (collective_gives((enum collective_op)member->operation, member->sends, member->is_root))
        need(&flow->last[member->part.second_group], member);
}

static struct needed_flow flow_of(const struct member *members, uint32_t count)
{
    const struct limit nobody = {INT64_MIN, NULL};
    struct needed_flow flow = {.is_prefix =
                                   collective_operations[members[0].operation].flow == FLOW_PREFIX,
                               .two_groups = members[count - 1].part.second_group,
                               .last = {nobody, nobody}};
    for (uint32_t i = 0; i < count && !flow.is_prefix; i++)
        add_giver(&flow, &members[i]);
    return flow;
}

/* Call it for the members in their order. */
static struct limit limit_by_flow(struct needed_flow *flow, const struct member *member)
{
    if (flow->is_prefix)
        add_giver(flow, member);
    return flow->last[flow->two_groups && !member->part.second_group];
}

static bool takes(const struct member *member)
{
    return collective_takes((enum collective_op)member->operation, member->receives,
                            member->is_root);
}

/* The member waits for its limit. */
static struct member_wait wait_for_limit(struct limit limit, const struct member *members,
                                         const struct member *member)
{
    const int64_t released = int64_min(limit.begin, member->end);
    return (struct member_wait){.wait = int64_max(0, released - member->from),
                                .cause = (uint32_t)(limit.peer - members)};
}

static struct limit member_limit(const struct definitions *definitions, const struct member *member,
                                 struct side peers, struct limit by_flow)
{
    /* the counts of MPI_Reduce_scatter are those of what every member receives */
    const bool own_counts = !collective_op_scatters_vector((enum collective_op)member->operation);
    if (own_counts && member->receive_counts != INDEX_NONE)
        return limit_by_counts(definitions, member, peers);
    return member->neighbourhood || !takes(member) ? (struct limit){INT64_MIN, NULL} : by_flow;
}

void needs_search(const struct definitions *definitions, const struct member *members,
                  uint32_t count, struct member_wait *waits, int64_t *limits)
{
    assert(count > 0);
    uint32_t first_side = 0;
    int64_t first_end = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        first_side += !members[i].part.second_group;
        first_end = int64_min(first_end, members[i].end);
    }
    const struct side sides[2] = {{members, first_side},
                                  {members + first_side, count - first_side}};
    struct needed_flow flow = flow_of(members, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct member *m = &members[i];
        const struct side peers = sides[flow.two_groups && !m->part.second_group];
        const struct limit limit = member_limit(definitions, m, peers, limit_by_flow(&flow, m));
        limits[i] = limit.begin;
        if (limits[i] == INT64_MIN || m->never_waits)
            continue;
        waits[i] = wait_for_limit(limit, members, m);
        if (!m->nonblocking)
            waits[i].completion = int64_max(
                0,
                m->end - int64_max(m->begin, int64_max(first_end, int64_min(limit.begin, m->end))));
    }
}

/* In a prefix reduction members wait for the lower ranks, whatever their own bytes are. */
static void wait_by_flow(const struct member *members, uint32_t count, struct member_wait *waits)
{
    struct needed_flow flow = flow_of(members, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct limit limit = limit_by_flow(&flow, &members[i]);
        if (limit.peer && (flow.is_prefix || takes(&members[i])))
            waits[i] = wait_for_limit(limit, members, &members[i]);
    }
}

const struct pattern late_broadcast_pattern = {
    .name = "late broadcast",
    .description = "waits for the root of a one-to-all collective",
    .flows = 1u << FLOW_FROM_ROOT,
    .wait_metric = METRIC_MPI_LATEBROADCAST,
    .completion_metric = METRIC_NONE,
    .sync_kind = SYNC_ONE_TO_N,
    .search_instance = wait_by_flow,
};

const struct pattern early_reduce_pattern = {
    .name = "early reduce",
    .description = "waits of the root of an all-to-one collective",
    .flows = 1u << FLOW_TO_ROOT,
    .wait_metric = METRIC_MPI_EARLYREDUCE,
    .completion_metric = METRIC_NONE,
    .sync_kind = SYNC_N_TO_ONE,
    .search_instance = wait_by_flow,
};

const struct pattern early_scan_pattern = {
    .name = "early scan",
    .description = "waits for lower ranks in a prefix reduction",
    .flows = 1u << FLOW_PREFIX,
    .wait_metric = METRIC_MPI_EARLYSCAN,
    .completion_metric = METRIC_NONE,
    .sync_kind = SYNC_PREFIX,
    .search_instance = wait_by_flow,
};
