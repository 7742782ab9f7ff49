/* difference.tsv: every value of two runs that is not zero in both, tab-separated:
 * metric, call path, rank.thread, before, after, difference (before - after), after a header line.
 */
#ifndef REPORT_TSV_DIFFERENCE_H
#define REPORT_TSV_DIFFERENCE_H

#include "report/comparison.h"

#include <stdio.h>

/* 17 digits: read back, the values are the same. Write errors show in ferror(file). */
void difference_tsv_write(const struct comparison *comparison, FILE *file);

#endif
