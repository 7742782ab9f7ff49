/* Runs that are nothing but lines (struct line_format), written by one process or by several. */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "report/format.h"

/* Writes a run, as `write_run` of a format does. */
bool lines_write(const struct line_format *format, const struct severity *run, FILE *stream);

/* Collective. Each process makes the lines of its own store, whose values are gone afterwards, and
 * process 0 writes them to a file as report_file_write does: those of the store that
 * severity_gather would make. No process holds more than a few pieces of the text. All processes
 * fail with the same error. */
enum status lines_write_together(const struct line_format *format, struct severity *local,
                                 const struct processes *processes, const char *path,
                                 struct error *error);

#endif
