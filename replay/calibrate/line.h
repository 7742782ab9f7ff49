/* A straight line through points with outliers. */
#ifndef REPLAY_CALIBRATE_LINE_H
#define REPLAY_CALIBRATE_LINE_H

#include <stddef.h>

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
