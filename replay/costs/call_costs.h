/* The costs of a trace's calls: their times without waiting (doc/methods.md, section 4, difference
 * mode).
 *
 * For a call between enter e and leave l that waits for arrivals a_i: LogGPS says when a message
 * arrives. A posted receive or a meeting arrives when the other side has posted it or has come. No
 * arrival is later than l. The call's cost is l - max(e, a_i).
 *
 * call_costs_open finds once for a trace everything that does not depend on times: which rows are
 * one call, its posts and waits, and which processes exchange times. Then costs can be
 * measured with the times of the trace, and with those of any number of its views. */
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
    int64_t *lags;  /* [wait], ticks, <= 0: how much before the time by LogGPS it must have arrived,
                       because the call had ended */
    int64_t *costs; /* [call], ticks, >= 0 */
};

#define CALL_GROUP_NONE SIZE_MAX

/* Collective. The trace must be matched, and outlive the costs. On failure nothing is left to free.
 */
enum status call_costs_open(const struct trace *trace, double poll_gap_s, struct call_costs *costs,
                            struct error *error);
void call_costs_close(struct call_costs *costs); /* of all zeros is allowed */

/* Collective. Measures with the times of `times`: the trace, or a view of it (or of the trace that
 * it is a view of). `machine` determines when messages arrive; NULL: its parameters are fitted to
 * these times (fit_machine). */
enum status call_costs_measure(struct call_costs *costs, const struct trace *times,
                               const struct machine *machine, struct error *error);

/* Whether a message was synchronous in the times measured last. */
bool call_costs_synchronous(const struct call_costs *costs, uint32_t s, uint32_t message);

/* Whether a wait of owned stream `s` could have waited but did not (sync_may_pass). */
bool call_costs_passed(const struct call_costs *costs, uint32_t s, size_t wait);

struct call_cost {
    int64_t ticks;
    bool waits;
};
/* The cost of a call for comparison with other calls: plus its largest lag, so that it may be
 * negative; its length if it cannot wait. */
struct call_cost call_cost_of(const struct call_costs *costs, const struct trace *times, uint32_t s,
                              size_t call);

#endif
