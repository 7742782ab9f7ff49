/* Which member of a collective operation cannot end before which other has begun: what the data
 * need, no more. */
#ifndef TRACE_COLLECTIVE_ORDER_H
#define TRACE_COLLECTIVE_ORDER_H

#include "trace/trace.h"

/* A member, in the order of the communicator. Time is its begin or its end, in ticks. */
struct order_member {
    int64_t time;
    bool sends, receives, is_root;
};

/* True if the operation's members depend on each other in a way that is known here: not so if only
 * counts per peer would tell (Alltoallv, Alltoallw, neighbourhood operations), nor between two
 * groups, nor alone. */
bool collective_is_ordered(const struct definitions *definitions,
                           const struct collective *collective, uint32_t rank);

/* limits[i]: the latest begin among the members that member i's end depends on; INT64_MIN: none. */
void collective_limits(enum collective_op op, const struct order_member *begins, uint32_t count,
                       int64_t *limits);

/* caps[i]: the earliest end among the members that depend on member i's begin; INT64_MAX: none. */
void collective_caps(enum collective_op op, const struct order_member *ends, uint32_t count,
                     int64_t *caps);

#endif
