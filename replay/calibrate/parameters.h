/* From the times of one round of experiments to LogGPS parameters. */
#ifndef REPLAY_CALIBRATE_PARAMETERS_H
#define REPLAY_CALIBRATE_PARAMETERS_H

#include "replay/costs/machine.h"

#include <stddef.h>

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

struct point {
    double x, y;
    double scale; /* > 0: the error that counts as 1 */
};

struct line {
    double at_zero, slope; /* neither is negative */
};

/* The line, rising or level and not below zero at x = 0, whose sum of |error| / scale is smallest.
 * Its time grows with the cube of `count`. All zero for no points. */
struct line line_fit(const struct point *points, size_t count);

static inline double line_at(struct line line, double x)
{
    return line.at_zero + line.slope * x;
}

#endif
