/* LogGPS parameters from the times of one round of experiments. */
#ifndef REPLAY_CALIBRATE_PARAMETERS_H
#define REPLAY_CALIBRATE_PARAMETERS_H

#include "replay/costs/machine.h"

#include <stddef.h>

enum { SIZES_MAX = 32 };

/* Times in seconds, by size. The first `asynchronous` sizes are below S and have all times, the
 * others only `half`. */
struct size_sweep {
    uint64_t bytes[SIZES_MAX];
    double half[SIZES_MAX]; /* half a round trip of a ping-pong */
    double send[SIZES_MAX], receive[SIZES_MAX];
    double gap[SIZES_MAX];
    int count, asynchronous;
};

/* `asynchronous` must be at least 1. */
struct loggps sweep_parameters(const struct size_sweep *sweep);

/* Half a round trip, computed from the parameters. */
double predicted_half(const struct loggps *loggps, uint64_t bytes, bool synchronous);

/* The median over the sizes of |predicted - measured| / measured. */
double parameters_misfit(const struct loggps *loggps, const struct size_sweep *sweep);

struct weighted_point {
    double x, y;
    double scale; /* > 0: the error that counts as 1 */
};

struct fitted_line {
    double at_zero, slope; /* neither is negative */
};

/* The line, rising or level and not below zero at x = 0, whose sum of |error| / scale is smallest.
 * Takes time proportional to the cube of `count`. All zero without points. */
struct fitted_line line_fit(const struct weighted_point *points, size_t count);

static inline double fitted_line_at(struct fitted_line line, double x)
{
    return line.at_zero + line.slope * x;
}

#endif
