/* Writes runs in formats of one line per value (struct line_format), by one process or by several.
 */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "report/format.h"

/* Writes a run, as `write_run` of a format does. */
bool lines_write(const struct line_format *format, const struct severity *run, FILE *stream);

/* Collective. Writes a file like that of lines_write for the store that severity_gather would
 * return. Each process formats the values of its part, and process 0 merges the lines and writes
 * the file as report_file_write does. No process holds more than a few pieces of the text. The
 * values of `local` are freed. All processes fail with the same error. */
enum status lines_write_together(const struct line_format *format, struct severity *local,
                                 const struct processes *processes, const char *path,
                                 struct error *error);

#endif
