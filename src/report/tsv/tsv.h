/* The TSV format: tsv.c writes severity files and the differences of a replay, read.c reads both
 * (doc/severity-files.md). */
#ifndef REPORT_TSV_TSV_H
#define REPORT_TSV_TSV_H

#include "report/format.h"

/* First line of a table of differences, which has one line for each value that is not zero in both
 * runs. The last column is before - after; the reader takes only this one. */
#define DIFFERENCE_TSV_HEADER "metric\tcall path\tlocation\tbefore\tafter\tdifference"

bool tsv_recognises(const struct severity_file *file);
enum status tsv_read(const struct severity_file *file, struct severity **severity,
                     struct error *error);

#endif
