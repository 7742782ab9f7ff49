/* What the calls of a trace took apart from waiting (METHODS 4, difference mode; recorded.h), call
 * by call: to compare a replay with its recording. */
#ifndef REPLAY_COSTS_CALL_COSTS_H
#define REPLAY_COSTS_CALL_COSTS_H

#include "base/array.h"
#include "replay/costs/machine.h"
#include "trace/trace.h"

struct call_cost {
    uint32_t stream;       /* index among the owned ones */
    uint32_t enter, leave; /* rows of the call, or of a polling loop */
    int64_t cost;          /* ticks; negative: what it waited for came earlier than by the rule */
    bool waits;            /* for another rank; otherwise the cost is the call's length */
};

struct call_costs {
    ARRAY(struct call_cost) list; /* of the owned ranks, rank after rank, in order; no probes */
};

/* Collective. The trace must be matched. `machine` gives the rule for when messages arrive; if it
 * is not known yet (no distance of it is), it is found in this trace and filled in. */
enum status call_costs_make(const struct trace *trace, double poll_gap_s, struct machine *machine,
                            struct call_costs *costs, struct error *error);
void call_costs_clear(struct call_costs *costs);

#endif
