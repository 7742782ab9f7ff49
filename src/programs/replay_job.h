/* The work of silas-replay and silas-model for one configuration. */
#ifndef PROGRAMS_REPLAY_JOB_H
#define PROGRAMS_REPLAY_JOB_H

#include "base/mpi/processes.h"
#include "base/options.h"
#include "replay/engine.h"

/* The option --set. `sets_` gets its values; it has room for OPTION_REPEATS values and NULL. */
#define SET_OPTION(sets_)                                                                  \
    {                                                                                      \
        's', "set", "SECTION.KEY=VALUE ...", "set a key of the configuration", sets_, NULL \
    }

struct replay_job {
    bool check_only; /* replay and write nothing, on any number of processes */
    bool project;    /* the traces are cuts, and the prediction is for the whole trace */
    const char *sets[OPTION_REPEATS + 1]; /* values of --set, then NULL */
};

/* Collective. Predicts with `engine` (NULL: the one that the configuration names), writes the
 * report into the output directory and prints it. `operands` are the configuration file ("-":
 * standard input) and NULL. If `project` is set, a directory of cuts may come first, which replaces
 * the traces of the configuration. */
enum status replay_job_run(char **operands, const struct engine *engine,
                           const struct replay_job *job, struct processes *processes,
                           struct error *error);

#endif
