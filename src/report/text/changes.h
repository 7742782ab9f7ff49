/* For people: what differs between two severity stores, metric by metric. */
#ifndef REPORT_TEXT_CHANGES_H
#define REPORT_TEXT_CHANGES_H

#include "report/comparison.h"

#include <stdio.h>

/* A report_writer (report_file.h) of a struct comparison. */
bool severity_changes_write(const void *comparison, FILE *stream);

#endif
