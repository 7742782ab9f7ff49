/* Calls of a measured trace that were disturbed, or took longer than those of the recording, and
 * what they would have cost (noise.h). */
#ifndef REPLAY_COSTS_LIMITS_H
#define REPLAY_COSTS_LIMITS_H

#include "replay/costs/call_costs.h"
#include "replay/costs/disturbances.h"

struct call_limits {
    struct lost_time *lost; /* of all ranks, ascending and disjoint */
    size_t lost_count;
    int64_t **usual; /* [owned stream][group of calls]: what they cost when nobody had lost a core,
                        mean, ticks; INT64_MAX: there are none. NULL if nobody has lost one */
    struct call_excess excess; /* of the one owned stream */
    uint32_t stream_count;
};

/* Collective. `trace` is a view that a measuring engine has filled, and `own` what the engine said
 * of this process's rank.
 * Where a core has been lost (`lost_count`, the same on all processes), what calls cost usually is
 * to be learnt next. */
enum status call_limits_open(const struct trace *trace, const struct disturbances *own,
                             struct call_limits *limits, struct error *error);
void call_limits_clear(struct call_limits *limits);

/* Collective. `costs` are those of the calls of `trace`. Clear the limits in any case. */
enum status call_limits_learn(const struct trace *trace, const struct call_costs *costs,
                              struct call_limits *limits, struct error *error);

/* What a call would have cost, ticks. `s`: index of its stream among the owned ones. */
int64_t call_limits_apply(const struct call_limits *limits, const struct trace *trace, uint32_t s,
                          uint32_t enter, uint32_t leave, bool waits, int64_t cost);

#endif
