/* Clock readings into the time column of the predicted trace. */
#ifndef REPLAY_REALTIME_REWRITE_H
#define REPLAY_REALTIME_REWRITE_H

#include "replay/realtime/executor.h"

/* Converts the engine's clock to the trace's ticks: linear, so that hosts' clocks agree. */
struct timeline {
    uint64_t start;       /* ticks of the engine's clock at the trace's first time stamp */
    double ticks_scale;   /* ticks of the trace per tick of the engine's clock */
    uint64_t trace_begin; /* ticks of the trace at `start` */
};

/* A reading of the engine's clock as ticks of the predicted trace. */
uint64_t timeline_moment(const struct timeline *timeline, uint64_t reading);

/* Fills `view`, the stream whose program has run, from the prepared trace's times (`recorded`). The
 * readings of calls go to the rows where the calls begin and end; rows between them are
 * interpolated. */
void timeline_write(const struct executor *executor, const struct timeline *timeline,
                    const struct stream *recorded, struct stream *view);

#endif
