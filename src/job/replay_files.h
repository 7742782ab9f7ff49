/* The files of a replay: reports, time line, predicted trace. */
#ifndef JOB_REPLAY_FILES_H
#define JOB_REPLAY_FILES_H

#include "base/mpi/job_output.h"
#include "job/replay_projection.h"
#include "job/replay_session.h"

/* Collective. Summarizes replays that are done, writes what their configuration asks for into
 * `output`, and commits it: the reports by process 0, time line and predicted trace of the shown
 * session by all. `projection` may be NULL. Also prints the report if `prints`. */
enum status replay_files_report(struct replay_session *const *sessions, size_t count,
                                const struct replay_projection *projection, bool prints,
                                struct job_output *output, struct error *error);

#endif
