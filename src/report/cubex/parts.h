/* The parts of the Cube format: cubex.c writes, read.c reads. */
#ifndef REPORT_CUBEX_PARTS_H
#define REPORT_CUBEX_PARTS_H

#include "report/cubex/tar.h"

enum status cubex_read(const struct severity_file *file, struct severity **severity,
                       struct error *error);

#endif
