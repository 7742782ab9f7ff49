/* silas-model: silas-replay with the model engine, on any number of processes. */
#include "programs/model_questions.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/replay_job.h"

#include <malloc.h>
#include <stdlib.h>

static struct replay_job job;
static struct model_questions questions;
static const char *least_wait;

static const struct option_spec options[] = {
    {'c', "check", NULL, "read, match and change the trace, but predict nothing", NULL,
     &job.check_only},
    {'d', "domino", NULL, "print the waits that delay everything behind them, and write nothing",
     NULL, &questions.domino},
    {0, "least-wait", "SECONDS", "of waits this long only", &least_wait, NULL},
    {'b', "bounds", NULL,
     "print what could be gained at most, call path by call path, and write nothing", NULL,
     &questions.bounds},
    {'l', "latency", NULL,
     "print how T depends on the latency, and how much of it T tolerates, and write nothing", NULL,
     &questions.latency},
    {'p', "project", NULL, "the trace is a cut (silas-structure --cut): predict the whole trace",
     NULL, &job.project},
    SET_OPTION(job.sets),
    PLUGIN_OPTION,
    {0},
};

static const struct program program = {
    .name = "silas-model",
    .summary = "Computes how a program would run under the hypotheses of a configuration file, "
               "and reports the difference.",
    .usage = "[mpirun -np ANY] silas-model CONFIG.ini\n"
             "[mpirun -np ANY] silas-model --project [CUTS] CONFIG.ini",
    .details =
        "The file is the same as for silas-replay, which replays on the machine what this program\n"
        "computes; section [model] is for this program. CONFIG.ini may be - for standard input. "
        "The\n"
        "outcome does not depend on the number of processes.",
    .options = options,
    .least = 1,
    .most = 2,
    PLUGIN_PROGRAM,
};

static int check(const struct program *used)
{
    char *end;
    questions.least_wait_s = least_wait ? strtod(least_wait, &end) : -1;
    if (least_wait && (*end || end == least_wait || !(questions.least_wait_s >= 0)))
        return options_usage_error(used, "--least-wait is a time in seconds, not %s", least_wait);
    if (least_wait && !questions.domino)
        return options_usage_error(used, "--least-wait is for --domino");
    return 0;
}

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    const struct engine *engine = engine_find("model");
    /* What-ifs need the same arrays one after the other: do not return them to the system. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    bool asks = questions.domino || questions.bounds || questions.latency;
    if (asks && (job.project || operands[1]))
        return error_set(error, STATUS_USAGE,
                         "--domino, --bounds and --latency are answered for one trace as it is; "
                         "leave out --project");
    if (asks)
        return model_questions_run(operands[0], job.sets, engine, &questions, processes, error);
    return replay_job_run(operands, engine, &job, processes, error);
}

int main(int argc, char **argv)
{
    return program_main_parallel(
        &(struct program_main){.program = &program, .check = check, .run = run}, argc, argv);
}
