/* The output directory of a parallel job. It appears complete or not at all. It holds the files of
 * the report formats and those named here. */
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
    char directory[PATH_MAX]; /* the temporary directory, to write into */
};

/* Collective. Makes the temporary directory and fails as output_open does. On failure there is
 * nothing to discard. */
enum status replay_output_open(const struct replay_config *config,
                               const struct processes *processes, struct replay_output *output,
                               struct error *error);

/* Collective. Moves the directory to its place and closes the output, also on failure. */
enum status replay_output_commit(struct replay_output *output, struct error *error);

/* Removes what was written. Does nothing if `output` is all zero or closed. */
void replay_output_discard(struct replay_output *output);

#endif
