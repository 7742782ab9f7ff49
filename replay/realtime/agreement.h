/* What the members of each collective operation must agree on before it can be reenacted: OTF2
 * records only each rank's total bytes, and in-place calls record less than the others. One
 * reduction per communicator. */
#ifndef REPLAY_REALTIME_AGREEMENT_H
#define REPLAY_REALTIME_AGREEMENT_H

#include "replay/realtime/communicators.h"

/* The bytes of each member, for operations whose counts differ from member to member. */
struct totals {
    int64_t sent, received;
};

struct agreed {
    int64_t bytes; /* per block (Score-P's rules for each operation), the largest of all members */
    int64_t shortest;   /* ticks from begin to end of the shortest call: that of the last arrival */
    int64_t type_size;  /* bytes of an element, 0 where unknown or not the same */
    uint32_t reduction; /* as in struct collective; INDEX_NONE where unknown or not the same */
    const struct totals *totals; /* [members]; NULL unless counts are missing in the trace */
};

struct agreement {
    struct agreed **instances; /* [comm_count], each [instance]; NULL between two groups, whose
                                  members go by their own records */
    bool *
        *lacking; /* likewise; NULL within one group: counts that a member must give are missing */
    struct arena *arena;
};

/* Collective. */
enum status agreement_make(const struct trace *trace, const struct communicators *communicators,
                           struct agreement *agreement, struct error *error);
void agreement_clear(struct agreement *agreement);

#endif
