/* report.json: the outcome of a replay for other programs; doc/report-json.md describes it. */
#ifndef REPORT_REPLAY_JSON_H
#define REPORT_REPLAY_JSON_H

#include "report/replay_report.h"

/* Fails with STATUS_ENVIRONMENT if the file cannot be written. */
enum status replay_json_write(const struct replay_report *report, const char *path,
                              struct error *error);

#endif
