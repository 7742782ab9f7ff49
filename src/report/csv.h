/* CSV as RFC 4180 describes it: fields with commas, line ends between rows, and quotes around what
 * has these inside. Errors of writing are found by ferror. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <stdio.h>

/* A field; NULL is empty. */
void csv_text(const char *text, FILE *stream);
/* A number with 12 digits; one that is not finite is empty. */
void csv_number(double value, FILE *stream);

/* What follows a field: another one, or the end of the row. */
void csv_next(FILE *stream);
void csv_end(FILE *stream);

#endif
