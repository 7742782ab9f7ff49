/* The parts of the JSON formats: a severity file (run.c, read.c; doc/severity-files.md) and the
 * report.json of a replay (replay.c; doc/report-json.md). */
#ifndef REPORT_JSON_PARTS_H
#define REPORT_JSON_PARTS_H

#include "report/format.h"

#define SEVERITY_JSON_FORMAT "silas-severity"
enum { SEVERITY_JSON_VERSION = 1 };

bool json_run_write(const struct severity *run, FILE *stream);
bool json_run_recognises(const struct severity_file *file);
enum status json_run_read(const struct severity_file *file, struct severity **severity,
                          struct error *error);

bool json_replay_write(const struct replay_report *report, FILE *stream);

#endif
