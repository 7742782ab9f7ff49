/* The files of a replay: reports, time line, predicted trace. */
#ifndef JOB_REPLAY_FILES_H
#define JOB_REPLAY_FILES_H

#include "job/replay_session.h"

/* Collective. Writes what the configuration asks for into `directory`, which exists: the reports by
 * process 0, time line and predicted trace of `shown` by all. */
enum status replay_files_write(const struct replay_report *report,
                               const struct replay_session *shown, const char *directory,
                               struct error *error);

#endif
