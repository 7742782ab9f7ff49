/* silas-replay: replays a trace under hypotheses and reports the difference. */
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/replay_job.h"

static struct replay_job job;

static const struct option_spec options[] = {
    {'c', "check", NULL, "read, match and change the trace, but replay nothing", NULL,
     &job.check_only},
    {'p', "project", NULL, "the trace is a cut (silas-structure --cut): predict the whole trace",
     NULL, &job.project},
    SET_OPTION(job.sets),
    PLUGIN_OPTION,
    {0},
};

static const struct program program = {
    .name = "silas-replay",
    .summary = "Replays a trace under the hypotheses of a configuration file and reports the "
               "difference.",
    .usage = "mpirun -np RANKS silas-replay CONFIG.ini\n"
             "mpirun -np RANKS silas-replay --project [CUTS] CONFIG.ini\n"
             "[mpirun -np ANY] silas-replay --check CONFIG.ini",
    .details =
        "RANKS is the number of ranks of the trace. Without hypotheses in the configuration\n"
        "the trace is replayed unchanged, which shows the accuracy. CONFIG.ini may be - for\n"
        "standard input.",
    .options = options,
    .least = 1,
    .most = 2,
    PLUGIN_PROGRAM,
};

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    return replay_job_run(operands, NULL, &job, processes, error);
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){&program, NULL, run}, argc, argv);
}
