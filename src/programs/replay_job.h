/* Everything silas-replay does with one configuration file. */
#ifndef PROGRAMS_REPLAY_JOB_H
#define PROGRAMS_REPLAY_JOB_H

#include "base/mpi/processes.h"
#include "replay/engine.h"

/* Collective. Predicts with `engine` (NULL: the one that the configuration names), writes the
 * report into the output directory and prints it. With `check_only` nothing is replayed or
 * written, and any number of processes will do. */
enum status replay_job_run(const char *config_path, const struct engine *engine, bool check_only,
                           struct processes *processes, struct error *error);

#endif
