/* Where text for people goes: its width, and bold type and colours where it is a terminal. Names in
 * it come from users, so control characters are replaced: none of them reaches a terminal. */
#ifndef REPORT_TEXT_OUTPUT_H
#define REPORT_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct text_output {
    FILE *file;
    int width; /* columns of a line; 0: any number */
    /* Escape sequences; "" where the stream is not a terminal, NO_COLOR is set
     * (https://no-color.org), or the terminal is "dumb". */
    const char *bold, *alarm, *good, *plain;
};

/* The width is $COLUMNS if that is a number; else that of the terminal, or 80 if it does not tell.
 * A pipe or file has no width, so that scripts find whole names whatever the user's window is. */
struct text_output text_output_of(FILE *stream);

/* A line in bold type after an empty one. */
void text_heading(const struct text_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends a line that has `used` columns with `text`, such as a call path. Where it does not fit, its
 * middle is left out, if possible at slashes; but at least 16 columns are written. */
void text_end_line(const struct text_output *out, int used, const char *text);

#endif
