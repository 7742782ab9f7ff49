/* The files of a replay's output directory. */
#ifndef PROGRAMS_REPLAY_FILES_H
#define PROGRAMS_REPLAY_FILES_H

#include "programs/replay_session.h"
#include "report/replay_report.h"

extern const char *const replay_file_names[]; /* NULL-terminated: all there can ever be */

/* Collective. Writes what the configuration asks for into `directory`, which exists: the reports by
 * process 0, the predicted trace of `shown` by all. */
enum status replay_files_write(const struct replay_report *report,
                               const struct replay_session *shown, const char *directory,
                               struct error *error);

#endif
