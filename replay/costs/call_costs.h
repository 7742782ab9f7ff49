/* What the calls of a trace took apart from waiting (doc/methods.md, section 4, difference mode).
 *
 * For a call between enter e and leave l that waits for arrivals a_i: the arrival of a message
 * follows from LogGPS, that of a posted receive or a meeting is when the other side came; none is
 * later than l. The call's cost is l - max(e, a_i).
 *
 * What does not depend on times is found once for a trace (call_costs_open): which rows are a call,
 * what it posts and waits for, who tells whom. Then the costs can be measured by the trace's own
 * times and by those of any number of its views. */
#ifndef REPLAY_COSTS_CALL_COSTS_H
#define REPLAY_COSTS_CALL_COSTS_H

#include "replay/costs/call_groups.h"
#include "replay/costs/meetings.h"
#include "replay/costs/message_ends.h"
#include "replay/costs/transfer.h"
#include "trace/calls/semantics.h"

struct call_costs {
    const struct trace *trace;
    struct call_list list;
    struct layout layout;
    struct message_ends ends;
    struct meetings meetings;
    size_t *groups; /* [call]: call_groups.h; CALL_GROUP_NONE for records outside regions */
    struct platform platform; /* on which the times were measured */
    int64_t *lags;  /* [wait], ticks, <= 0: how much earlier than by the rule the arrival came */
    int64_t *costs; /* [call], ticks, >= 0 */
};

#define CALL_GROUP_NONE SIZE_MAX

/* Collective. The trace must be matched, and outlive the costs. On failure nothing is left to free.
 */
enum status call_costs_open(const struct trace *trace, double poll_gap_s, struct call_costs *costs,
                            struct error *error);
void call_costs_close(struct call_costs *costs); /* of all zeros is allowed */

/* Collective. Measures by the times of `times`: the trace, or a view of it (or of the trace that it
 * is a view of). `machine` determines when messages arrive; NULL: its parameters are fitted to
 * these times (fit_machine). */
enum status call_costs_measure(struct call_costs *costs, const struct trace *times,
                               const struct machine *machine, struct error *error);

/* Whether a message is synchronous by the last measured times. */
bool call_costs_synchronous(const struct call_costs *costs, uint32_t s, uint32_t message);

/* Whether a wait of owned stream `s` could have waited but did not (sync_may_pass). */
bool call_costs_passed(const struct call_costs *costs, uint32_t s, size_t wait);

/* A call's figures for comparison: its cost, minus how much too early the arrival came (so it may
 * be negative); its length if it never waits. */
struct call_cost {
    int64_t ticks;
    bool waits;
};
struct call_cost call_cost_of(const struct call_costs *costs, const struct trace *times, uint32_t s,
                              size_t call);

#endif
