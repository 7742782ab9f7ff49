/* What the members of each collective operation must agree on before it can be reenacted. OTF2
 * records only the total bytes of each rank, and less for in-place calls. One reduction per
 * communicator. */
#ifndef REPLAY_REALTIME_AGREEMENT_H
#define REPLAY_REALTIME_AGREEMENT_H

#include "replay/realtime/communicators.h"

/* The bytes of each member, for operations whose counts differ from member to member. */
struct totals {
    int64_t sent, received;
};

struct agreed {
    int64_t bytes; /* per block (Score-P's rules for each operation), the largest of all members */
    int64_t shortest;   /* ticks of the shortest call, which is that of the last member to arrive */
    int64_t type_size;  /* bytes of an element; 0: not recorded, or not the same on all members */
    uint32_t reduction; /* as in struct collective; INDEX_NONE: likewise */
    int64_t user_op;    /* rebuilt_types_operator, of reductions by an operator of the program whose
                           time    a member has recorded; 0: none, or not the same on all members */
    const struct totals *totals; /* [members]; NULL unless counts are missing in the trace */
    bool no_wait,
        waits; /* for some members a hypothesis [wait] has removed the wait; others wait */
};

/* What the members of the two groups state about an operation on an intercommunicator. */
struct agreed_between {
    int64_t lacks; /* counts that a member needs are missing */
    int64_t moves; /* a member sends or receives data */
};

struct collective_agreement {
    struct agreed **instances; /* [comm_count][instance]; NULL for intercommunicators, whose members
                                  use their own records */
    struct agreed_between **between; /* [comm_count][instance] of intercommunicators; otherwise
                                        NULL */
    struct arena *arena;
};

/* Collective. */
enum status agreement_make(const struct trace *trace, const struct communicators *communicators,
                           struct collective_agreement *agreement, struct error *error);
void agreement_clear(struct collective_agreement *agreement);

#endif
