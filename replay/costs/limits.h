/* What calls of a replay would have cost, if they were disturbed or took longer than in the
 * recording (replay/correction/correction.h). */
#ifndef REPLAY_COSTS_LIMITS_H
#define REPLAY_COSTS_LIMITS_H

#include "replay/costs/call_costs.h"
#include "replay/costs/disturbances.h"

struct call_limits {
    struct lost_time *lost; /* when any rank had lost its core: ascending and disjoint */
    size_t lost_count;
    int64_t **usual; /* [owned stream][group of calls]: mean cost of calls while no core was lost,
                        ticks; INT64_MAX: no such calls. NULL if no core was lost */
    struct call_excess excess; /* of the owned stream if there is exactly one; else empty */
    uint32_t stream_count;
    size_t left_out, left_out_end; /* calls of the list that the run has left out, which are not
                                      used to learn; set between opening and learning */
};

/* Collective. `times` is a view that a measuring engine has filled, and `own` what the engine
 * reported for this process's rank. If a core has been lost (`lost_count`, the same on all
 * processes), call_limits_find_usual must follow. After a failure nothing is left to free. */
enum status call_limits_open(const struct trace *times, const struct disturbances *own,
                             struct call_limits *limits, struct error *error);
void call_limits_clear(struct call_limits *limits);

/* Collective. Finds the usual cost of each group of calls. `costs` were measured with `times`. */
enum status call_limits_find_usual(const struct trace *times, const struct call_costs *costs,
                                   struct call_limits *limits, struct error *error);

/* The cost in ticks of a call of owned stream `s` and this group without disturbances. */
int64_t call_limits_apply(const struct call_limits *limits, const struct trace *times, uint32_t s,
                          const struct listed_call *call, size_t group, struct call_cost cost);

#endif
