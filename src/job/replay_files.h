/* The files of a replay: reports, time line, predicted trace. */
#ifndef JOB_REPLAY_FILES_H
#define JOB_REPLAY_FILES_H

#include "base/mpi/job_output.h"
#include "job/replay_projection.h"
#include "job/replay_session.h"

/* Collective. Summarizes finished replays, writes the files that their configuration names into
 * `output`, and commits it. Process 0 writes the reports; all processes write the time line and the
 * predicted trace of the shown session. `projection` may be NULL. `prints`: also print the report.
 */
enum status replay_files_report(struct replay_session *const *sessions, size_t count,
                                const struct replay_projection *projection, bool prints,
                                struct job_output *output, struct error *error);

#endif
