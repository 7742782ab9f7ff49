/* The reports of single runs, in their folders. */
#ifndef SWEEP_REPORTS_H
#define SWEEP_REPORTS_H

#include "job/replay_session.h"
#include "sweep/result.h"
#include "sweep/sweep.h"

/* Collective. Writes the report of a run, whose session has been replayed, into NAME/report in
 * `folder`, and sets `result->report`. `config` is the session's own configuration; its output
 * changes. */
enum status run_report_write(struct replay_session *session, struct replay_config *config,
                             const char *folder, const char *name, struct run_result *result,
                             struct error *error);

/* Collective. Computes a run again, on the recording of `base`, and writes its report. */
enum status run_report_compute(const struct replay_session *base, const struct sweep_run *run,
                               const char *folder, struct run_result *result, struct error *error);

#endif
