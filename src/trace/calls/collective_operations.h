/* Recorded collective operations: the size of their blocks, the roles of their members, and the
 * limits that the members set each other. All follow from the table in base/collective_list.h. */
#ifndef TRACE_CALLS_COLLECTIVE_OPERATIONS_H
#define TRACE_CALLS_COLLECTIVE_OPERATIONS_H

#include "base/collective_op.h"
#include "trace/trace.h"

/* Bytes of one block according to this member's record; 0 if unknown. A block is what is broadcast,
 * what one member sends to another, or what a member contributes to a reduction (to a
 * Reduce_scatter the whole vector). If blocks differ in size, the larger of the member's own and
 * the mean. An estimate if the archive does not say whether the call was in place. `size` counts
 * the members on the other side, `me` is this member's rank. */
int64_t collective_block(const struct collective *collective, int64_t size, int64_t me);

/* The inverse: sets collective->sent and ->received by the operation's rule for blocks of `block`
 * bytes. op, root and flags must be set. */
void collective_set_block(struct collective *collective, uint64_t block, uint32_t size,
                          uint32_t me);

/* Collective. Numbers the instances of all communicators one after the other: first[comm] becomes
 * the number of the communicator's first instance, first[comm_count] that of all. The trace is
 * matched. */
void collective_number_instances(const struct trace *trace, int64_t *first);

/* True if members may wait for each other in this operation. False for MPI_Comm_free, for a fence
 * that ends no epoch, and for neighbourhood operations. */
static inline bool collective_synchronises(const struct collective *collective)
{
    return !(collective->flags & (COLLECTIVE_NEIGHBOUR | COLLECTIVE_LOCAL)) &&
           !(collective->flags & COLLECTIVE_WINDOW &&
             collective->type_size & SILAS_ASSERTION_NOPRECEDE);
}

/* The role of an owned rank in the operation. */
struct collective_role collective_role(const struct trace *trace, uint32_t rank,
                                       const struct collective *collective);

/* Whether others may need this member, and whether it may need others. False if the flow is
 * unknown. */
bool collective_gives(enum collective_op op, bool sends, bool is_root);
bool collective_takes(enum collective_op op, bool receives, bool is_root);

/* A member, in the order of the communicator. `time` is its begin or its end, in ticks. */
struct order_member {
    int64_t time;
    bool sends, receives, is_root;
};

/* True if the dependences between the operation's members are known. False if only counts per peer
 * tell (Alltoallv, Alltoallw, neighbourhood operations), between two groups, and for one member. */
bool collective_is_ordered(const struct definitions *definitions,
                           const struct collective *collective, uint32_t rank);

/* limits[i]: the latest begin among the members that member i's end depends on; INT64_MIN: none. */
void collective_limits(enum collective_op op, const struct order_member *begins, uint32_t count,
                       int64_t *limits);

/* caps[i]: the earliest end among the members that depend on member i's begin; INT64_MAX: none. */
void collective_caps(enum collective_op op, const struct order_member *ends, uint32_t count,
                     int64_t *caps);

#endif
