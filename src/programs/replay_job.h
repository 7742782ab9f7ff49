/* Everything silas-replay does with one configuration file. */
#ifndef PROGRAMS_REPLAY_JOB_H
#define PROGRAMS_REPLAY_JOB_H

#include "base/mpi/processes.h"
#include "base/options.h"
#include "replay/engine.h"

/* The option --set, whose values go to `sets_`, OPTION_REPEATS and NULL. */
#define SET_OPTION(sets_)                                                                         \
    {                                                                                             \
        's', "set", "SECTION.KEY=VALUE ...", "change the configuration, as if it said so", sets_, \
            NULL                                                                                  \
    }

struct replay_job {
    bool check_only; /* nothing is replayed or written, and any number of processes will do */
    bool project;    /* the traces are cuts, and the answer is for the whole trace */
    const char *sets[OPTION_REPEATS + 1]; /* --set: what changes the configuration, then NULL */
};

/* Collective. Predicts with `engine` (NULL: the one that the configuration names), writes the
 * report into the output directory and prints it. `operands`: the configuration file, "-" for
 * standard input; before it, if `project` is set, there may be the cuts, which replace its traces.
 * Then NULL. */
enum status replay_job_run(char **operands, const struct engine *engine,
                           const struct replay_job *job, struct processes *processes,
                           struct error *error);

#endif
