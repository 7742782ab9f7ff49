/* report.json: the outcome of a replay for other programs; doc/report-json.md describes it. */
#ifndef REPORT_JSON_REPLAY_H
#define REPORT_JSON_REPLAY_H

#include "report/replay_report.h"

/* Fails with STATUS_ENVIRONMENT if the file cannot be written. */
enum status replay_json_write(const struct replay_report *report, const char *path,
                              struct error *error);

#endif
