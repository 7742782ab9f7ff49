#include "trace/calls/collective_operations.h"

#include <assert.h>
#include <string.h>

/* The block of a member whose call may have been in place. For an operation without counts it was
 * if the share of each of all members is not a whole number of elements. */
static int64_t block_estimated(int64_t total, int64_t blocks, int64_t size, int64_t type_size)
{
    if (blocks < 1)
        return 0;
    bool whole = total % blocks == 0 && (type_size == 0 || total / blocks % type_size == 0);
    bool in_place = blocks == size && size > 1 && !whole;
    return total / (blocks - in_place);
}

int64_t collective_block(const struct collective *collective, int64_t size, int64_t me)
{
    assert(collective->op < COLLECTIVE_OP_COUNT);
    const struct collective_operation *operation = &collective_operations[collective->op];
    bool is_root = collective->root == ROOT_SELF || (int64_t)collective->root == me;
    bool in_place = collective->flags & COLLECTIVE_IN_PLACE;
    int64_t members = size > 0 ? size : 1, type_size = collective->type_size;
    int64_t sent = (int64_t)collective->sent, received = (int64_t)collective->received;
    if (in_place && collective_op_scatters_vector(collective->op))
        return sent + (members > 1 ? received / (members - 1) : 0); /* others' and own parts */
    int64_t sent_blocks = collective_op_blocks(operation->sent, members, me, is_root, in_place);
    int64_t received_blocks =
        collective_op_blocks(operation->received, members, me, is_root, in_place);
    if (collective->flags & COLLECTIVE_MAYBE_IN_PLACE && !in_place &&
        !collective_op_has_counts(collective->op)) {
        sent = block_estimated(sent, sent_blocks, members, type_size);
        received = block_estimated(received, received_blocks, members, type_size);
    } else {
        sent = sent_blocks > 0 ? sent / sent_blocks : 0;
        received = received_blocks > 0 ? received / received_blocks : 0;
    }
    return sent > received ? sent : received;
}

void collective_set_block(struct collective *collective, uint64_t block, uint32_t size, uint32_t me)
{
    const struct collective_operation *operation = &collective_operations[collective->op];
    assert(me < size);
    bool is_root = collective->root == me;
    bool in_place = collective->flags & COLLECTIVE_IN_PLACE;
    collective->sent =
        block * (uint64_t)collective_op_blocks(operation->sent, size, me, is_root, in_place);
    collective->received =
        block * (uint64_t)collective_op_blocks(operation->received, size, me, is_root, in_place);
}

static enum root_side root_side_of(const struct trace *trace, uint32_t rank,
                                   const struct collective *collective)
{
    if (collective->root == ROOT_NONE)
        return SIDE_WITHOUT_ROOT;
    if (collective->root == ROOT_THIS_GROUP)
        return SIDE_OUTSIDE;
    if (collective->root == ROOT_SELF)
        return SIDE_ROOT;
    /* on intercommunicators the root is a rank of the other group */
    return trace->definitions->comms[collective->comm].remote_group == INDEX_NONE &&
                   comm_world_rank(trace->definitions, collective->comm, rank, collective->root) ==
                       rank
               ? SIDE_ROOT
               : SIDE_MEMBER;
}

struct collective_role collective_role(const struct trace *trace, uint32_t rank,
                                       const struct collective *collective)
{
    assert(collective->op < COLLECTIVE_OP_COUNT && rank < trace->rank_count);
    if (collective->flags & COLLECTIVE_NEIGHBOUR)
        return (struct collective_role){.arrives = true, .waits = true, .neighbours = true};
    if (!collective_synchronises(collective))
        return (struct collective_role){.arrives = true};
    if (collective->flags & COLLECTIVE_WINDOW)
        return (struct collective_role){.arrives = true, .waits = true};
    enum root_side side = collective_op_is_rooted(collective->op)
                              ? root_side_of(trace, rank, collective)
                              : SIDE_WITHOUT_ROOT;
    return collective_op_role(collective->op, side, collective->sent > 0, collective->received > 0);
}

/* True if a member takes part in the flow of data on one side: `root_side` is the flow in which the
 * root is alone on that side. */
static bool is_on_side(enum collective_op op, enum collective_flow root_side, bool moves,
                       bool is_root)
{
    switch (collective_operations[op].flow) {
    case FLOW_BARRIER:
        return true;
    case FLOW_FROM_ROOT:
    case FLOW_TO_ROOT:
        return collective_operations[op].flow == root_side ? is_root : moves && !is_root;
    case FLOW_ALL:
    case FLOW_PAIRS:
    case FLOW_PREFIX:
        return moves;
    default:
        return false;
    }
}

bool collective_gives(enum collective_op op, bool sends, bool is_root)
{
    return is_on_side(op, FLOW_FROM_ROOT, sends, is_root);
}

bool collective_takes(enum collective_op op, bool receives, bool is_root)
{
    return is_on_side(op, FLOW_TO_ROOT, receives, is_root);
}

static bool is_ordered(enum collective_op op)
{
    enum collective_flow flow = collective_operations[op].flow;
    return flow != FLOW_MAKE && flow != FLOW_FREE && flow != FLOW_PAIRS;
}

bool collective_is_ordered(const struct definitions *definitions,
                           const struct collective *collective, uint32_t rank)
{
    if (collective->comm == INDEX_NONE || collective->instance == INDEX_NONE ||
        collective->end == INDEX_NONE ||
        collective->flags & (COLLECTIVE_NEIGHBOUR | COLLECTIVE_WINDOW | COLLECTIVE_LOCAL))
        return false;
    const struct communicator *comm = &definitions->comms[collective->comm];
    return is_ordered(collective->op) && !comm->self && comm->remote_group == INDEX_NONE &&
           comm_size(definitions, collective->comm, rank, false) > 1;
}

void collective_limits(enum collective_op op, const struct order_member *begins, uint32_t count,
                       int64_t *limits)
{
    assert(op < COLLECTIVE_OP_COUNT);
    bool ordered = is_ordered(op), prefix = collective_operations[op].flow == FLOW_PREFIX;
    int64_t latest = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        if (ordered && collective_gives(op, begins[i].sends, begins[i].is_root) &&
            begins[i].time > latest)
            latest = begins[i].time;
        limits[i] =
            collective_takes(op, begins[i].receives, begins[i].is_root) ? latest : INT64_MIN;
    }
    for (uint32_t i = 0; i < count && !prefix; i++)
        if (collective_takes(op, begins[i].receives, begins[i].is_root))
            limits[i] = latest;
}

void collective_caps(enum collective_op op, const struct order_member *ends, uint32_t count,
                     int64_t *caps)
{
    assert(op < COLLECTIVE_OP_COUNT);
    bool ordered = is_ordered(op), prefix = collective_operations[op].flow == FLOW_PREFIX;
    int64_t earliest = INT64_MAX;
    for (uint32_t i = count; i-- > 0;) {
        if (ordered && collective_takes(op, ends[i].receives, ends[i].is_root) &&
            ends[i].time < earliest)
            earliest = ends[i].time;
        caps[i] = collective_gives(op, ends[i].sends, ends[i].is_root) ? earliest : INT64_MAX;
    }
    for (uint32_t i = 0; i < count && !prefix; i++)
        if (collective_gives(op, ends[i].sends, ends[i].is_root))
            caps[i] = earliest;
}

void collective_number_instances(const struct trace *trace, int64_t *first)
{
    uint32_t comms = trace->definitions->comm_count;
    assert(trace->matched);
    memset(first, 0, ((size_t)comms + 1) * sizeof *first);
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++) {
            const struct collective *collective = &trace->streams[s].collectives[c];
            int64_t *count = &first[collective->comm + 1];
            if (collective->instance != INDEX_NONE && *count <= (int64_t)collective->instance)
                *count = (int64_t)collective->instance + 1;
        }
    processes_max(trace->processes, first, (size_t)comms + 1);
    for (uint32_t comm = 0; comm < comms; comm++)
        first[comm + 1] += first[comm];
}
