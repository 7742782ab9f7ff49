/* The result of trial replays of a program (tuning.h, shortfall.h). */
#ifndef REPLAY_REALTIME_TUNED_H
#define REPLAY_REALTIME_TUNED_H

#include <stdint.h>

struct shortfall {
    int64_t
        *before;    /* [group of calls]: ticks of the trace to add before calls that do not wait, */
    int64_t *after; /* and after calls that wait. Negative: leave out as many ticks of the tracer's
                       work before the call */
    int64_t *excess_before, *excess_after; /* likewise: ticks by which calls are still too long */
    uint64_t synchronous_from;             /* bytes; ordinary sends of at least this size wait */
};

struct tuning {
    uint8_t *reach; /* [path_count]: enum working_set_reach before calls with this call path */
    uint32_t path_count;
    uint8_t otherwise; /* the same for all other call paths */
    struct shortfall shortfall;
    /* Differences between the costs of this rank's calls in trial replays and in the recording,
     * summed over groups, in ticks of the trace. */
    uint64_t error_unfitted, error_fitted;
    uint64_t fitted; /* ticks of the trace by which the shortfalls change the calls of this rank */
};

#endif
