/* What MPI's collective operations have in common and how they differ, from the table in
 * collective_list.h. trace/calls/collective_operations.h applies it to recorded operations. */
#ifndef BASE_COLLECTIVE_OP_H
#define BASE_COLLECTIVE_OP_H

#include "base/collective_list.h"

#include <stdbool.h>
#include <stdint.h>

/* The numbers are those of OTF2_CollectiveOp. */
enum collective_op {
#define X(operation, number, ...) COLLECTIVE_##operation = number,
    COLLECTIVE_OPERATIONS(X)
#undef X
        COLLECTIVE_OP_COUNT
};

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
    COUNTED_VECTOR,       /* the block is the whole vector, of which each member gets a part */
    COUNTED_OWN_PART,     /* this member's part of that vector, from each member: no whole block */
};

/* Which buffers, or which vectors of counts, a column of the table names. */
enum collective_sides {
    SIDES_NEITHER = 0,
    SIDES_SEND = 1 << 0,
    SIDES_RECEIVE = 1 << 1,
    SIDES_BOTH = SIDES_SEND | SIDES_RECEIVE,
    SIDES_TYPED = 1 << 2,
    SIDES_BOTH_TYPED = SIDES_BOTH | SIDES_TYPED,
};

struct collective_operation {
    const char *name; /* in messages */
    enum collective_flow flow;
    enum counted_blocks sent, received; /* in the recorded totals */
    bool sends_each, receives_each;   /* the buffer (of the root, if there is one) has one block for
                                         each member; otherwise one block */
    bool send_counts, receive_counts; /* the call takes a vector of counts (the root's call) */
    bool types;                       /* and a vector of datatypes beside each */
    bool reduces;                     /* the call takes an MPI_Op */
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

/* True if every member sends or receives a block of its own. */
static inline bool collective_op_has_blocks(enum collective_op op)
{
    return collective_operations[op].sends_each || collective_operations[op].receives_each;
}

/* True for those that make or free a communicator or a window; they move no data. */
static inline bool collective_op_manages_handle(enum collective_op op)
{
    return collective_operations[op].flow < FLOW_BARRIER;
}

/* True for MPI_Reduce_scatter: members get parts of different size of one vector. All of them pass
 * the sizes, one for each member of their own group, and the block is the whole vector. */
static inline bool collective_op_scatters_vector(enum collective_op op)
{
    return collective_operations[op].sent == COUNTED_VECTOR;
}

/* The number of blocks that the totals of member `me` of `size` count. */
int64_t collective_op_blocks(enum counted_blocks counted, int64_t size, int64_t me, bool is_root,
                             bool in_place);

/* Where a member is with respect to the root. */
enum root_side {
    SIDE_WITHOUT_ROOT, /* the operation has none, or it is not recorded */
    SIDE_ROOT,
    SIDE_MEMBER,  /* exchanges data with the root */
    SIDE_OUTSIDE, /* in the root's group of an intercommunicator: takes no part */
};

/* Which members a member waits for in a blocking operation, and whether others wait for it. */
struct collective_role {
    bool arrives;    /* others wait for it */
    bool waits;      /* for all that arrive */
    bool scans;      /* ... only for those of the lower ranks and itself: a prefix reduction */
    bool neighbours; /* ... only for its sources */
};

/* The role by the flow of data. `sends` and `receives`: whether the member has bytes to send or to
 * receive; matters only for operations with counts. */
struct collective_role collective_op_role(enum collective_op op, enum root_side side, bool sends,
                                          bool receives);

#endif
