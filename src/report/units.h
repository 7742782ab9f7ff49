/* Times as people read them. */
#ifndef REPORT_UNITS_H
#define REPORT_UNITS_H

#include <stddef.h>

/* How a column of times is printed: all in one unit, with decimals that suit the largest time. */
struct time_format {
    const char *unit; /* "s", "ms", "us", "ns" */
    double scale;     /* units per second */
    int decimals;
};

/* The format for a column whose largest time is `largest_s`, which gets `digits` significant
 * digits; nothing below 1 ns is printed. */
struct time_format time_format_for(double largest_s, int digits);

/* "0.9042", without the unit. Cuts the text off at `size`; returns `text`. */
char *time_print(const struct time_format *format, double seconds, char *text, size_t size);

/* "904.2 ms": the unit suits this one value. Returns `text`. */
char *time_print_alone(double seconds, int digits, char *text, size_t size);

#endif
