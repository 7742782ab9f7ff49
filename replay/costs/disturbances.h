/* Errors of one rank's times in a measured run, as far as the engine has found them. */
#ifndef REPLAY_COSTS_DISTURBANCES_H
#define REPLAY_COSTS_DISTURBANCES_H

#include <stddef.h>
#include <stdint.h>

/* An interval in which the rank had lost its core. Ticks. */
struct lost_time {
    uint64_t begin, end;
};

/* How much longer than in the recording the rank's calls take on this machine, for each group of
 * calls (call_groups.h): means, ticks; 0 for calls of other call paths. */
struct call_excess {
    const int64_t *other, *waiting; /* of calls that do not wait, of calls that wait */
    uint32_t path_count;
};

struct disturbances {
    const struct lost_time *losses; /* the long ones, in the times of the run's view; valid until
                                       the next run */
    size_t loss_count;
    struct call_excess excess; /* valid as long as the engine's state */
};

#endif
