/* One table of MPI's collective operations: which members depend on which, what the recorded bytes
 * count, which calls take counts per member. All other parts (pre-flight check, clocks, engines,
 * transformations, patterns) use it. */
#ifndef TRACE_CALLS_COLLECTIVE_OPERATIONS_H
#define TRACE_CALLS_COLLECTIVE_OPERATIONS_H

#include "trace/trace.h"

/* Which members cannot end before which others have begun: only the dependences of the data. */
enum collective_flow {
    FLOW_MAKE,      /* a communicator or a window is made */
    FLOW_FREE,      /* one is freed */
    FLOW_BARRIER,   /* all members need all others */
    FLOW_ALL,       /* receivers need all senders */
    FLOW_PAIRS,     /* receivers need those that send to them, which only counts tell */
    FLOW_FROM_ROOT, /* receivers need the root */
    FLOW_TO_ROOT,   /* the root needs all senders */
    FLOW_PREFIX,    /* receivers need the senders of lower rank */
};

/* How many blocks a member's total of bytes counts. Tracers follow Score-P: a member's data to and
 * from itself also count, unless the call was in place. */
enum counted_blocks {
    COUNTED_NONE,
    COUNTED_ONE,          /* its own */
    COUNTED_EACH,         /* one for each member */
    COUNTED_EACH_AT_ROOT, /* the same, for the root alone */
    COUNTED_ONWARDS,      /* one for this member and each of higher rank */
    COUNTED_UP_TO,        /* one for this member and each of lower rank */
    COUNTED_AFTER,        /* one for each member of higher rank */
    COUNTED_BEFORE,       /* one for each member of lower rank */
};

struct collective_operation {
    const char *name; /* in messages */
    enum collective_flow flow;
    enum counted_blocks sent, received; /* in the recorded totals */
    bool sends_each, receives_each;   /* the buffer (of the root, if there is one) has one block for
                                         each member; otherwise one block */
    bool send_counts, receive_counts; /* the call takes a vector of counts (the root's call) */
};

extern const struct collective_operation collective_operations[COLLECTIVE_OP_COUNT];

/* "unknown collective operation" for an unknown number. */
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

/* True if members may wait for each other in this operation. False for MPI_Comm_free, for a fence
 * that ends no epoch, and for neighbourhood operations. */
static inline bool collective_synchronises(const struct collective *collective)
{
    return !(collective->flags & (COLLECTIVE_NEIGHBOUR | COLLECTIVE_LOCAL)) &&
           !(collective->flags & COLLECTIVE_WINDOW &&
             collective->type_size & SILAS_ASSERTION_NOPRECEDE);
}

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
