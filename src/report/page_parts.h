/* What pages without script are made of: text that is safe in HTML, and axes of figures that are
 * static SVG. Names of regions and files are written by users, so every text goes through
 * html_text.
 */
#ifndef REPORT_PAGE_PARTS_H
#define REPORT_PAGE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes text for an element or an attribute in double quotes: & < > " ' are escaped, and control
 * characters, which HTML forbids, become blanks. NULL writes nothing. */
void html_text(const char *text, FILE *stream);
/* Writes a relative path as a reference: bytes other than letters, digits and - . _ / are written
 * as %XX, so it has no scheme. */
void html_reference(const char *path, FILE *stream);

struct html_axis {
    double low, high; /* values */
    double from, to;  /* where they are drawn */
    bool logarithmic;
};

double html_place(const struct html_axis *axis, double value);
/* Values 1, 2 or 5 times a power of ten that divide the axis; returns how many, at most `most`. */
size_t html_ticks(const struct html_axis *axis, size_t most, double *ticks);

#endif
