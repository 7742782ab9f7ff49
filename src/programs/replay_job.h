/* Everything silas-replay does with one configuration file. */
#ifndef PROGRAMS_REPLAY_JOB_H
#define PROGRAMS_REPLAY_JOB_H

#include "base/mpi/processes.h"
#include "replay/engine.h"

/* Collective. `engine` (NULL: the configuration's) predicts. `check_only`: nothing is replayed and
 * nothing written, and any number of processes will do. The report goes to standard output and into
 * the output directory. */
enum status replay_job_run(const char *config_path, const struct engine *engine, bool check_only,
                           struct processes *processes, struct error *error);

#endif
