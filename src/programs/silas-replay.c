/* silas-replay: replays a trace under hypotheses and reports the difference. */
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/replay_job.h"

#include "job/replay_config.h"
#include "trace/load/load.h"

#include <stdlib.h>

static struct replay_job job;

static const struct option_spec options[] = {
    {'c', "check", NULL, "read, match and change the trace, but do not replay", NULL,
     &job.check_only},
    {'p', "project", NULL, "the trace is a cut (silas-structure --cut): predict the whole trace",
     NULL, &job.project},
    SET_OPTION(job.sets),
    PLUGIN_OPTION,
    {0},
};

static const struct program program = {
    .name = "silas-replay",
    .summary = "Replays a trace under the hypotheses of a configuration, and reports the "
               "difference.",
    .usage = "mpirun -np RANKS silas-replay CONFIG.ini\n"
             "mpirun -np RANKS silas-replay --project [CUTS] CONFIG.ini\n"
             "[mpirun -np ANY] silas-replay --check CONFIG.ini",
    .details =
        "RANKS is the number of ranks of the trace. Without hypotheses in the configuration,\n"
        "the trace is replayed unchanged, which shows the accuracy. CONFIG.ini may be - for\n"
        "standard input.",
    .options = options,
    .least = 1,
    .most = 2,
    PLUGIN_PROGRAM,
};

static enum status run_replay(char **operands, struct processes *processes, struct error *error)
{
    return replay_job_run(operands, NULL, &job, processes, error);
}

/* True if the trace has threads that communicate at once, which replaying threads need. Archives of
 * other tools do not declare them before MPI starts; then the user sets SILAS_MPI_THREADS. Errors
 * of the configuration are reported later. */
static bool needs_threads(int argc, char **argv)
{
    struct replay_config *config = NULL;
    struct trace_size size = {0};
    struct error error = {STATUS_OK, ""};
    const char *path = argc > 1 ? argv[argc - 1] : "-", *asked = getenv("SILAS_MPI_THREADS");
    if (asked)
        return *asked && *asked != '0';
    if (*path != '-' && replay_config_load(path, NULL, NULL, NULL, &config, &error) == STATUS_OK &&
        config->trace_count > 0)
        trace_peek(config->trace_paths[0], &size, &error);
    replay_config_destroy(config);
    return size.threads;
}

int main(int argc, char **argv)
{
    const struct program_main main = {
        .program = &program, .run = run_replay, .measures = true, .threads = needs_threads};
    return program_main_parallel(&main, argc, argv);
}
