/* Everything silas-replay does with one configuration file. */
#ifndef PROGRAMS_REPLAY_JOB_H
#define PROGRAMS_REPLAY_JOB_H

#include "base/mpi/processes.h"

/* Collective. `check_only`: nothing is replayed and nothing written, and any number of processes
 * will do. The report goes to standard output and into the output directory. */
enum status replay_job_run(const char *config_path, bool check_only, struct processes *processes,
                           struct error *error);

#endif
