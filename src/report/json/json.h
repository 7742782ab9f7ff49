/* The JSON format: json.c writes severity files, read.c reads them (doc/severity-files.md),
 * replay.c writes the report.json of a replay (doc/report-json.md). */
#ifndef REPORT_JSON_JSON_H
#define REPORT_JSON_JSON_H

#include "base/json.h"
#include "report/format.h"
#include "report/json/pop.h"

#define SEVERITY_JSON_FORMAT "silas-severity"
enum { SEVERITY_JSON_VERSION = 1 };

bool json_recognises(const struct severity_file *file);
enum status json_read(const struct severity_file *file, struct severity **severity,
                      struct error *error);

bool json_replay_write(const struct report *report, FILE *stream);

#endif
