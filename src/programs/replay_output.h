/* The output directory of a job of several processes: complete or not at all. It holds the files of
 * the report formats and what is named here. */
#ifndef PROGRAMS_REPLAY_OUTPUT_H
#define PROGRAMS_REPLAY_OUTPUT_H

#include "base/output.h"
#include "programs/replay_config.h"

#include <limits.h>

#define REPLAY_OUTPUT_TIMELINE "timeline.html"
#define REPLAY_OUTPUT_TRACE    "predicted" /* an OTF2 archive */

struct replay_output {
    const struct processes *processes;
    struct output *output;    /* on process 0 */
    char directory[PATH_MAX]; /* where it is filled */
};

/* Collective. Makes the temporary directory, as output_open does. On failure there is nothing to
 * discard. */
enum status replay_output_open(const struct replay_config *config,
                               const struct processes *processes, struct replay_output *output,
                               struct error *error);

/* The path of a file in the directory, into `path` (PATH_MAX); STATUS_INPUT if that is too long. */
enum status replay_output_path(const char *directory, const char *name, char *path,
                               struct error *error);

/* Collective. Puts it in its place; in any case it is closed. */
enum status replay_output_commit(struct replay_output *output, struct error *error);

/* Removes what was written. Allowed for one that is all zero, or closed. */
void replay_output_discard(struct replay_output *output);

#endif
