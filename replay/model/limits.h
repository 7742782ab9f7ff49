/* Calls of a measured trace that were disturbed, and what they would have cost (noise.h). */
#ifndef REPLAY_MODEL_LIMITS_H
#define REPLAY_MODEL_LIMITS_H

#include "replay/engine.h"

struct call_limits {
    struct lost_time *lost; /* of all ranks, ascending and disjoint */
    size_t lost_count;
    int64_t **usual; /* [owned stream][call path]: what its calls cost when nobody had lost a core,
                        mean, ticks; INT64_MAX: there are none */
    uint32_t stream_count;
};

/* Collective. `trace` is a view that a measuring engine has filled, and `run` what it said. */
enum status call_limits_make(const struct trace *trace, const struct engine_run *run,
                             double poll_gap_s, struct call_limits *limits, struct error *error);
void call_limits_clear(struct call_limits *limits);

/* Whether somebody had lost a core at some time in from .. to, ticks. */
bool call_limits_meet(const struct call_limits *limits, uint64_t from, uint64_t to);

#endif
