/* The work of silas-replay and silas-model for one configuration. */
#ifndef PROGRAMS_REPLAY_JOB_H
#define PROGRAMS_REPLAY_JOB_H

#include "base/mpi/processes.h"
#include "job/question.h"
#include "replay/engine.h"

struct replay_job {
    bool check_only;          /* replay and write nothing, on any number of processes */
    bool project;             /* the traces are cuts, and the prediction is for the whole trace */
    struct question question; /* changes the configuration */
};

/* Collective. Predicts with `engine` (NULL: the one that the configuration names), writes the
 * report into the output directory and prints it. `operands` are the configuration file ("-":
 * standard input) or a trace, and NULL. If `project` is set, a directory of cuts may come first,
 * which replaces the traces of the configuration. */
enum status replay_job_run(char **operands, const struct engine *engine,
                           const struct replay_job *job, struct processes *processes,
                           struct error *error);

#endif
