/* Times as people read them. */
#ifndef REPORT_UNITS_H
#define REPORT_UNITS_H

#include <stddef.h>

/* How a column of times is printed: all in one unit, with decimals that suit the largest. */
struct time_format {
    const char *unit; /* "s", "ms", "us", "ns" */
    double scale;     /* units per second */
    int decimals;
};

/* For a column whose largest value is `largest_s`: `digits` significant digits for that one, never
 * less than whole nanoseconds. */
struct time_format time_format_for(double largest_s, int digits);

/* "0.9042" without the unit; as snprintf, returns `text`. */
char *time_print(const struct time_format *format, double seconds, char *text, size_t size);

/* "904.2 ms": unit chosen for this one value. */
char *time_print_alone(double seconds, int digits, char *text, size_t size);

#endif
