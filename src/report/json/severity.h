/* The parts of the JSON format: written in severity.c, read in severity_read.c. */
#ifndef REPORT_JSON_SEVERITY_H
#define REPORT_JSON_SEVERITY_H

#include "report/severity_format.h"

#define SEVERITY_JSON_FORMAT "silas-severity"
enum { SEVERITY_JSON_VERSION = 1 };

/* "sum", "min", "max", by enum metric_merge. */
extern const char *const severity_json_merges[3];

bool severity_json_recognises(const struct severity_file *file);
enum status severity_json_read(const struct severity_file *file, struct severity **severity,
                               struct error *error);

#endif
