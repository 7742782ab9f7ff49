/* The files of a replay's output directory. */
#ifndef PROGRAMS_REPLAY_FILES_H
#define PROGRAMS_REPLAY_FILES_H

#include "programs/replay_session.h"
#include "report/replay_report.h"

enum replay_file {
    REPLAY_FILE_TEXT,
    REPLAY_FILE_JSON,
    REPLAY_FILE_TSV,
    REPLAY_FILE_BEFORE,
    REPLAY_FILE_AFTER,
    REPLAY_FILE_TIMELINE,
    REPLAY_FILE_TRACE,
    REPLAY_FILE_COUNT
};

extern const char *const replay_file_names[]; /* NULL-terminated: all there can ever be */

/* The file in a directory, into `path` (PATH_MAX); fails if that is too long. */
enum status replay_file_path(const char *directory, enum replay_file file, char *path,
                             struct error *error);

/* Collective. Writes what the configuration asks for into `directory`, which exists: the reports by
 * process 0, time line and predicted trace of `shown` by all. */
enum status replay_files_write(const struct replay_report *report,
                               const struct replay_session *shown, const char *directory,
                               struct error *error);

#endif
