#include "trace/calls/collective_order.h"

enum order {
    ORDER_UNKNOWN,
    ORDER_ALL,       /* everybody on everybody */
    ORDER_DATA,      /* who receives on all who send */
    ORDER_FROM_ROOT, /* who receives on the root */
    ORDER_TO_ROOT,   /* the root on all who send */
    ORDER_PREFIX,    /* who receives on the senders of lower rank */
};

static enum order order_of(enum collective_op op)
{
    switch (op) {
    case COLLECTIVE_BARRIER:
        return ORDER_ALL;
    case COLLECTIVE_ALLGATHER:
    case COLLECTIVE_ALLGATHERV:
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_ALLREDUCE:
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        return ORDER_DATA;
    case COLLECTIVE_BCAST:
    case COLLECTIVE_SCATTER:
    case COLLECTIVE_SCATTERV:
        return ORDER_FROM_ROOT;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_GATHERV:
    case COLLECTIVE_REDUCE:
        return ORDER_TO_ROOT;
    case COLLECTIVE_SCAN:
    case COLLECTIVE_EXSCAN:
        return ORDER_PREFIX;
    default:
        return ORDER_UNKNOWN;
    }
}

bool collective_is_ordered(const struct definitions *definitions,
                           const struct collective *collective, uint32_t rank)
{
    if (collective->comm == INDEX_NONE || collective->instance == INDEX_NONE ||
        collective->end == INDEX_NONE ||
        collective->flags & (COLLECTIVE_NEIGHBOUR | COLLECTIVE_WINDOW))
        return false;
    const struct communicator *comm = &definitions->comms[collective->comm];
    return order_of((enum collective_op)collective->op) != ORDER_UNKNOWN && !comm->self &&
           comm->remote_group == INDEX_NONE &&
           comm_size(definitions, collective->comm, rank, false) > 1;
}

static bool gives(enum order order, const struct order_member *member)
{
    switch (order) {
    case ORDER_UNKNOWN:
        return false;
    case ORDER_ALL:
        return true;
    case ORDER_FROM_ROOT:
        return member->is_root;
    case ORDER_TO_ROOT:
        return member->sends && !member->is_root;
    default:
        return member->sends;
    }
}

static bool takes(enum order order, const struct order_member *member)
{
    switch (order) {
    case ORDER_UNKNOWN:
        return false;
    case ORDER_ALL:
        return true;
    case ORDER_FROM_ROOT:
        return member->receives && !member->is_root;
    case ORDER_TO_ROOT:
        return member->is_root;
    default:
        return member->receives;
    }
}

void collective_limits(enum collective_op op, const struct order_member *begins, uint32_t count,
                       int64_t *limits)
{
    enum order order = order_of(op);
    int64_t latest = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        if (gives(order, &begins[i]) && begins[i].time > latest)
            latest = begins[i].time;
        limits[i] = takes(order, &begins[i]) ? latest : INT64_MIN;
    }
    for (uint32_t i = 0; i < count && order != ORDER_PREFIX; i++)
        if (takes(order, &begins[i]))
            limits[i] = latest;
}

void collective_caps(enum collective_op op, const struct order_member *ends, uint32_t count,
                     int64_t *caps)
{
    enum order order = order_of(op);
    int64_t earliest = INT64_MAX;
    for (uint32_t i = count; i-- > 0;) {
        if (takes(order, &ends[i]) && ends[i].time < earliest)
            earliest = ends[i].time;
        caps[i] = gives(order, &ends[i]) ? earliest : INT64_MAX;
    }
    for (uint32_t i = 0; i < count && order != ORDER_PREFIX; i++)
        if (gives(order, &ends[i]))
            caps[i] = earliest;
}
