/* The two directions of the Cube format, a file each: read.c and write.c. */
#ifndef REPORT_CUBEX_PARTS_H
#define REPORT_CUBEX_PARTS_H

#include "report/cubex/tar.h"

enum status cubex_read(const struct severity_file *file, struct severity **severity,
                       struct error *error);
bool cubex_write(const struct severity *severity, FILE *stream);

#endif
