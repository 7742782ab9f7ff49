/* Recorded collective operations: the size of their blocks, the roles of their members, and the
 * limits that the members set each other. All follow from the table in base/collective_list.h. */
#ifndef TRACE_CALLS_COLLECTIVE_OPERATIONS_H
#define TRACE_CALLS_COLLECTIVE_OPERATIONS_H

#include "base/collective_op.h"
#include "trace/trace.h"

/* Bytes of one block according to the record of a member; 0 if unknown. A block is the data that is
 * broadcast, that one member sends to another, or that a member contributes to a reduction (the
 * whole vector of MPI_Reduce_scatter). If blocks differ in size, returns the size of the member's
 * own block or the mean, whichever is larger. If the archive does not record whether the call was
 * in place, the result is an estimate. `size` is the number of members that this member exchanges
 * data with, itself included, or of the other group of an intercommunicator; `me` is its rank. */
int64_t collective_block(const struct collective *collective, int64_t size, int64_t me);

/* The inverse of collective_block: sets collective->sent and ->received for blocks of `block`
 * bytes. op, root and flags must be set. */
void collective_set_block(struct collective *collective, uint64_t block, uint32_t size,
                          uint32_t me);

/* Collective. Numbers the instances of all communicators one after the other: first[comm] becomes
 * the number of the communicator's first instance, first[comm_count] that of all. The trace is
 * matched. */
void collective_number_instances(const struct trace *trace, int64_t *first);

/* True if members may wait for each other in this operation. False for MPI_Comm_free, for calls on
 * files that do not wait, for a fence that ends no epoch, and for neighbourhood operations. */
static inline bool collective_synchronises(const struct collective *collective)
{
    return !(collective->flags & (COLLECTIVE_NEIGHBOUR | COLLECTIVE_LOCAL)) &&
           !(collective->flags & COLLECTIVE_WINDOW &&
             collective->type_size & SILAS_ASSERTION_NOPRECEDE);
}

/* The role of an owned rank in the operation. */
struct collective_role collective_role(const struct trace *trace, uint32_t rank,
                                       const struct collective *collective);

/* Whether other members may depend on the data of this member, and whether it may depend on the
 * data of others. False for operations on handles. */
bool collective_gives(enum collective_op op, bool sends, bool is_root);
bool collective_takes(enum collective_op op, bool receives, bool is_root);

/* A member of an operation. Arrays of members are in the order of the communicator. `time` is the
 * member's begin or end, in ticks. */
struct order_member {
    int64_t time;
    bool sends, receives, is_root;
};

/* True if the flow of data determines the dependences between the members. False if counts per peer
 * determine them (MPI_Alltoallv, MPI_Alltoallw, neighbourhood operations), between two groups, if
 * no member waits, and if there is only one. */
bool collective_is_ordered(const struct definitions *definitions,
                           const struct collective *collective, uint32_t rank);

/* Sets limits[i] to the latest begin among the members on which the end of member i depends;
 * INT64_MIN: it depends on none. */
void collective_limits(enum collective_op op, const struct order_member *begins, uint32_t count,
                       int64_t *limits);

/* Sets caps[i] to the earliest end among the members that depend on the begin of member i;
 * INT64_MAX: none does. */
void collective_caps(enum collective_op op, const struct order_member *ends, uint32_t count,
                     int64_t *caps);

#endif
