/* With B_j the time at which member j has begun (nonblocking: posted) the operation, E_i the time
 * at which i has ended (completed) it, and F_i the time from which on i does nothing else (B_i;
 * nonblocking: the enter of the completing call, if it is none of the Test calls):
 *
 *     limit_i      = max of B_j over the members j that i needs
 *     wait_i       = max(0, min(limit_i, E_i) - F_i)
 *     completion_i = max(0, E_i - max(B_i, min E, min(limit_i, E_i)))   blocking only
 *
 * Who is needed (METHODS 8 and the MPI standard's chapter on collective communication): whoever
 * sends bytes to i by i's receive counts, where they are recorded; otherwise in a barrier
 * everybody, in rooted operations the root by those who receive, or the senders by the root, in
 * prefix reductions the senders of lower rank, else all that send. Between two groups only members
 * of the other group count. */
#include "patterns/needs.h"

#include "trace/calls/collective_operations.h"

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

/* The member with that rank in its group, NULL if its part is not known. */
static const struct member *find_member(struct side side, uint32_t comm_rank)
{
    if (comm_rank < side.count && side.members[comm_rank].part.comm_rank == comm_rank)
        return side.members + comm_rank;
    for (uint32_t i = 0; i < side.count; i++)
        if (side.members[i].part.comm_rank == comm_rank)
            return side.members + i;
    return NULL;
}

/* The last to begin of those that are needed; the first of several. */
struct limit {
    int64_t begin;             /* INT64_MIN: nobody is needed */
    const struct member *peer; /* NULL likewise */
};

static void need(struct limit *limit, const struct member *peer)
{
    if (peer->begin > limit->begin)
        *limit = (struct limit){peer->begin, peer};
}

/* Those that send it something by its own counts. */
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

/* Those that such a member needs, whatever the counts are. */
static struct limit limit_by_kind(enum collective_op op, const struct member *member,
                                  struct side peers)
{
    bool prefix = collective_operations[op].flow == FLOW_PREFIX;
    struct limit limit = {INT64_MIN, NULL};
    if (!collective_takes(op, member->receives, member->is_root))
        return limit;
    for (uint32_t i = 0; i < peers.count; i++) {
        const struct member *peer = &peers.members[i];
        if (collective_gives(op, peer->sends, peer->is_root) &&
            !(prefix && peer->part.comm_rank > member->part.comm_rank))
            need(&limit, peer);
    }
    return limit;
}

static struct limit limit_of(const struct definitions *definitions, const struct member *member,
                             struct side peers)
{
    const enum collective_op op = (enum collective_op)member->operation;
    bool own_counts =
        op != COLLECTIVE_REDUCE_SCATTER; /* its counts are what each member receives */
    if (own_counts && member->receive_counts != INDEX_NONE)
        return limit_by_counts(definitions, member, peers);
    return member->neighbourhood ? (struct limit){INT64_MIN, NULL}
                                 : limit_by_kind(op, member, peers);
}

void needs_search(const struct definitions *definitions, const struct member *members,
                  uint32_t count, struct member_wait *waits, int64_t *limits)
{
    uint32_t first_side = 0;
    int64_t first_end = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        first_side += !members[i].part.second_group;
        first_end = earlier(first_end, members[i].end);
    }
    struct side sides[2] = {{members, first_side}, {members + first_side, count - first_side}};
    bool two = sides[1].count > 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct member *m = &members[i];
        struct side peers = two ? sides[!m->part.second_group] : sides[0];
        const struct limit limit = limit_of(definitions, m, peers);
        limits[i] = limit.begin;
        if (limits[i] == INT64_MIN || m->never_waits)
            continue;
        int64_t released = earlier(limits[i], m->end);
        waits[i].wait = later(0, released - m->from);
        waits[i].cause = (uint32_t)(limit.peer - members);
        if (!m->nonblocking)
            waits[i].completion = later(0, m->end - later(m->begin, later(first_end, released)));
    }
}
