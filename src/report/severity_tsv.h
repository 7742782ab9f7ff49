/* The parts of the TSV format: written in severity_tsv.c, read in severity_tsv_read.c. */
#ifndef REPORT_SEVERITY_TSV_H
#define REPORT_SEVERITY_TSV_H

#include "report/severity_format.h"

bool severity_tsv_recognises(const struct severity_file *file);
enum status severity_tsv_read(const struct severity_file *file, struct severity **severity,
                              struct error *error);

#endif
