/* The parts of the TSV format: written in severity.c, read in severity_read.c. */
#ifndef REPORT_TSV_SEVERITY_H
#define REPORT_TSV_SEVERITY_H

#include "report/severity_format.h"

/* First line of a table of differences (difference.h), which is read too: its values are those
 * of the last column. */
#define DIFFERENCE_TSV_HEADER "metric\tcall path\tlocation\tbefore\tafter\tdifference"

/* A call path as text, tabs and line ends in names escaped as "\t" and "\n". NULL when memory is
 * out; free it. */
char *severity_tsv_path(const struct severity *severity, uint32_t path);

bool severity_tsv_recognises(const struct severity_file *file);
enum status severity_tsv_read(const struct severity_file *file, struct severity **severity,
                              struct error *error);

#endif
