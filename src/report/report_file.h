/* Writes reports to standard output or to files. A file appears only when it is complete. */
#ifndef REPORT_REPORT_FILE_H
#define REPORT_REPORT_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes `what` to a stream. Returns false when memory is out or writing fails (ferror). */
typedef bool report_writer(const void *what, FILE *stream);

/* Writes to a file, or to standard output if `path` is NULL. A file is written under a temporary
 * name in the same folder and renamed when it is complete. Fails with STATUS_ENVIRONMENT. */
enum status report_file_write(const char *path, report_writer *write, const void *what,
                              struct error *error);

#endif
