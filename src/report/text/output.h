/* A stream for text that people read: its width, and bold type and colours on terminals. Names come
 * from users, so control characters in them are replaced before they reach a terminal. */
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

/* The width is $COLUMNS if that is a number, else that of the terminal, else 80. Pipes and files
 * have no limit, so that scripts find complete names. */
struct text_output text_output_of(FILE *stream);

/* An empty line, then a line in bold type. */
void text_heading(const struct text_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes `text`, such as a call path, at the end of a line that has `used` columns so far. If it
 * does not fit, its middle is left out, at slashes if possible; at least 16 columns are written. */
void text_end_line(const struct text_output *out, int used, const char *text);

#endif
