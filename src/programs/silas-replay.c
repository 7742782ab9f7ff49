/* silas-replay: replays a trace under hypotheses and reports the difference. */
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/question_options.h"
#include "programs/replay_job.h"

#include "job/replay_config.h"
#include "trace/load/load.h"

#include <stdlib.h>

static struct replay_job job;

static struct option_spec options[QUESTION_OPTIONS_MOST];
static const struct option_spec own_options[] = {
    {'c', "check", NULL, "read, match and change the trace, but do not replay", NULL,
     &job.check_only},
    {'p', "project", NULL, "the trace is a cut (silas-structure --cut): predict the whole trace",
     NULL, &job.project},
    PLUGIN_OPTION,
    {0},
};

static const struct program program = {
    .name = "silas-replay",
    .summary = "Replays a trace under the hypotheses of a configuration, and reports the "
               "difference.",
    .usage = "mpirun -np RANKS silas-replay [options] CONFIG.ini\n"
             "mpirun -np RANKS silas-replay [options] TRACE\n"
             "mpirun -np RANKS silas-replay --project [CUTS] CONFIG.ini\n"
             "[mpirun -np ANY] silas-replay --check CONFIG.ini",
    .details =
        "RANKS is the number of ranks of the trace. Without hypotheses in the configuration,\n"
        "the trace is replayed unchanged, which shows the accuracy. CONFIG.ini may be - for\n"
        "standard input.\n" QUESTION_OPTIONS_DETAILS,
    .options = options,
    .uses = &job.question.hypotheses,
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
    const char *asked = getenv("SILAS_MPI_THREADS");
    bool threads = false;
    if (asked)
        return *asked && *asked != '0';
    for (int i = 1; i < argc && !threads; i++) { /* options are not read yet */
        struct replay_config *config = NULL;
        struct trace_size size = {0};
        struct error error = {STATUS_OK, ""};
        if (*argv[i] != '-' &&
            replay_config_load(argv[i], NULL, NULL, NULL, &config, &error) == STATUS_OK)
            trace_peek(config->trace_paths[0], &size, &error);
        replay_config_destroy(config);
        threads = size.threads;
    }
    return threads;
}

int main(int argc, char **argv)
{
    question_options_list(own_options, &job.question, options);
    const struct program_main main = {.program = &program,
                                      .run = run_replay,
                                      .measures = true,
                                      .needs_mpi = true,
                                      .threads = needs_threads};
    return program_main_parallel(&main, argc, argv);
}
