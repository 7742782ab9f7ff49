/* Times and sizes as people read them. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

/* How a column of times is printed: all in one unit, with decimals that suit the largest time. */
struct time_format {
    const char *unit; /* "s", "ms", "us", "ns" */
    double scale;     /* units per second */
    int decimals;
};

/* The format for a column whose largest time is `largest_s`, which gets `digits` significant
 * digits; nothing below 1 ns is printed. */
struct time_format time_format_for(double largest_s, int digits);

/* Use `.text` within the expression: printf("%s", time_text(...).text). */
struct time_text {
    char text[48];
};

/* "0.9042", without the unit. */
struct time_text time_text(const struct time_format *format, double seconds);

/* "904.2 ms": the unit suits this one value. */
struct time_text time_text_alone(double seconds, int digits);

struct byte_text {
    char text[48];
};

/* "1.234 MB", with the powers of 1000 (B, kB, MB, GB, TB, PB, EB). */
struct byte_text byte_text_alone(double bytes, int digits);

#endif
