/* The output directory of a replay. It has the files of the report formats, and those named here.
 */
#ifndef JOB_REPLAY_OUTPUT_H
#define JOB_REPLAY_OUTPUT_H

#include "base/mpi/job_output.h"
#include "job/replay_config.h"

#define REPLAY_OUTPUT_TIMELINE "timeline.html"
#define REPLAY_OUTPUT_TRACE    "predicted" /* an OTF2 archive */

/* Collective. Makes the directory that the configuration names (job_output.h). */
enum status replay_output_open(const struct replay_config *config,
                               const struct processes *processes, struct job_output *output,
                               struct error *error);

#endif
