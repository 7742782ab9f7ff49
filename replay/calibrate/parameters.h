/* From the times of one round of experiments to LogGPS parameters. */
#ifndef REPLAY_CALIBRATE_PARAMETERS_H
#define REPLAY_CALIBRATE_PARAMETERS_H

#include "replay/costs/machine.h"

enum { SIZES_MAX = 32 };

/* Seconds, by size. The first `asynchronous` sizes are below S and have all figures, the others
 * only a ping-pong. */
struct sweep {
    uint64_t bytes[SIZES_MAX];
    double half[SIZES_MAX]; /* of a round trip */
    double send[SIZES_MAX], receive[SIZES_MAX];
    double gap[SIZES_MAX];
    int count, asynchronous;
};

/* `asynchronous` must be at least 1. */
struct loggps parameters_of(const struct sweep *sweep);

/* Half a round trip, computed from the parameters. */
double predicted_half(const struct loggps *loggps, uint64_t bytes, bool synchronous);

/* The median over the sizes of |predicted - measured| / measured. */
double parameters_misfit(const struct loggps *loggps, const struct sweep *sweep);

#endif
