/* Writes reports to standard output or to files. A file appears only when it is complete. */
#ifndef REPORT_REPORT_FILE_H
#define REPORT_REPORT_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes `what`. Returns false when memory is out or when writing to the stream fails (ferror). */
typedef bool report_writer(const void *what, FILE *stream);

/* Writes to a file under a temporary name beside it, renamed when complete, or to standard output
 * if `path` is NULL. Fails with STATUS_ENVIRONMENT. */
enum status report_file_write(const char *path, report_writer *write, const void *what,
                              struct error *error);

#endif
