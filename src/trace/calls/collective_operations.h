/* What is known of each collective operation of MPI, in one table: who needs whom, what its bytes
 * count, which calls take counts per member. Everything else that depends on the operation
 * (preflight, clocks, engines, transformations, patterns) asks here. */
#ifndef TRACE_CALLS_COLLECTIVE_OPERATIONS_H
#define TRACE_CALLS_COLLECTIVE_OPERATIONS_H

#include "trace/trace.h"

/* Which member cannot end before which other has begun: what the data need, no more. */
enum collective_flow {
    FLOW_MAKE,      /* a communicator or a window is made */
    FLOW_FREE,      /* one is freed */
    FLOW_BARRIER,   /* everybody needs everybody */
    FLOW_ALL,       /* those that receive need all that send */
    FLOW_PAIRS,     /* those that receive need those that send to them: only counts tell who */
    FLOW_FROM_ROOT, /* those that receive need the root */
    FLOW_TO_ROOT,   /* the root needs all that send */
    FLOW_PREFIX,    /* those that receive need the senders of lower rank */
};

/* How many blocks a member's total of bytes counts. Tracers follow Score-P: what goes to and comes
 * from the member itself counts too, unless the call was made in place. */
enum counted_blocks {
    COUNTED_NONE,
    COUNTED_ONE,          /* its own */
    COUNTED_EACH,         /* one for each member */
    COUNTED_EACH_AT_ROOT, /* the same, for the root alone */
    COUNTED_ONWARDS,      /* one for each member from this one on */
    COUNTED_UP_TO,        /* one for each member up to this one */
    COUNTED_AFTER,        /* one for each member of higher rank, */
    COUNTED_BEFORE,       /* of lower rank */
};

struct collective_operation {
    const char *name; /* in messages */
    enum collective_flow flow;
    enum counted_blocks sent, received; /* in the recorded totals */
    bool sends_each, receives_each;     /* the buffer has one block for each member (of the root, if
                                           there is one); otherwise one block */
    bool send_counts, receive_counts;   /* the call takes a vector of counts (the root's call) */
};

extern const struct collective_operation collective_operations[COLLECTIVE_OP_COUNT];

/* "unknown collective operation" for a number that is none. */
const char *collective_op_name(enum collective_op op);

static inline bool collective_op_is_rooted(enum collective_op op)
{
    return collective_operations[op].flow == FLOW_FROM_ROOT ||
           collective_operations[op].flow == FLOW_TO_ROOT;
}

/* True for the operations whose counts differ from member to member. */
static inline bool collective_op_has_counts(enum collective_op op)
{
    return collective_operations[op].send_counts || collective_operations[op].receive_counts;
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* Bytes of one block, as far as this member's record shows them: what is broadcast, what goes from
 * one member to another, what a member contributes to a reduction (to a Reduce_scatter: the whole
 * vector). Where blocks differ in size, the larger of the member's own and of the mean. Estimated
 * where the archive does not say whether the call was in place. 0 if the record does not show it.
 * `size` counts the members on the other side, `me` is this member's rank. */
int64_t collective_block(const struct collective *collective, int64_t size, int64_t me);

/* The inverse: what a member sends and receives by the operation's rule, if all blocks have `block`
 * bytes. Sets collective->sent and ->received; op, root and flags must be set. */
void collective_set_block(struct collective *collective, uint64_t block, uint32_t size,
                          uint32_t me);

/* --- order ------------------------------------------------------------------------------------ */

/* Do members wait for each other in this operation at all? Not where a communicator is freed, nor
 * in a fence that ends no epoch, nor where only neighbours exchange data. */
static inline bool collective_synchronises(const struct collective *collective)
{
    return !(collective->flags & (COLLECTIVE_NEIGHBOUR | COLLECTIVE_LOCAL)) &&
           !(collective->flags & COLLECTIVE_WINDOW &&
             collective->type_size & SILAS_ASSERTION_NOPRECEDE);
}

/* May others need this member; may it need others? False where the flow is not known. */
bool collective_gives(enum collective_op op, bool sends, bool is_root);
bool collective_takes(enum collective_op op, bool receives, bool is_root);

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
