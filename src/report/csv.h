/* CSV (RFC 4180): commas between fields, CR LF after rows, and quotes around fields that contain a
 * comma, a quote or a line end. The caller checks for write errors by ferror. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <stdio.h>

/* A text field; NULL is an empty one. */
void csv_text(const char *text, FILE *stream);
/* A number with 12 significant digits; an empty field if it is not finite. */
void csv_number(double value, FILE *stream);

/* The separator after a field, and the end of a row. */
void csv_next(FILE *stream);
void csv_end(FILE *stream);

#endif
