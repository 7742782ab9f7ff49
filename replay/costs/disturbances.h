/* What is known to be wrong with one rank's times in a measured run. */
#ifndef REPLAY_COSTS_DISTURBANCES_H
#define REPLAY_COSTS_DISTURBANCES_H

#include <stddef.h>
#include <stdint.h>

/* A time in which the rank had lost its core: from one moment to another, ticks. */
struct lost_time {
    uint64_t begin, end;
};

/* By how much the calls of the rank take longer on this machine than they did in the recording, for
 * each group of calls (call_groups.h): means, ticks. Calls of other call paths: nothing. */
struct call_excess {
    const int64_t *other, *waiting; /* of calls that wait for nobody; that wait for another rank */
    uint32_t path_count;
};

struct disturbances {
    const struct lost_time *losses; /* the long ones, in the times of the run's view; valid until
                                       the next run */
    size_t loss_count;
    struct call_excess excess; /* valid as long as the engine's state */
};

#endif
