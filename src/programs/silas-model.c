/* silas-model: as silas-replay, but the model predicts, on any number of processes. */
#include "programs/local_jobs.h"
#include "programs/model_questions.h"
#include "programs/option_values.h"
#include "programs/output_format.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/question_options.h"
#include "programs/replay_job.h"

#include <string.h>

static struct replay_job job;
static struct model_questions questions;
static const char *least_wait, *domino_mode, *format_name;

static struct option_spec options[QUESTION_OPTIONS_MOST];
static const struct option_spec own_options[] = {
    {'c', "check", NULL, "read, match and change the trace, but do not predict", NULL,
     &job.check_only},
    {'d', "domino", "[=repeat]",
     "print the waits that delay all later events (repeat: step by step), no report", &domino_mode,
     &questions.domino},
    {0, "save-waits", "FILE", "with --domino: write a configuration that removes these waits",
     &questions.saved, NULL},
    {'f', "format", "FORMAT", "with --domino: text (default) or json", &format_name, NULL},
    {0, "least-wait", "SECONDS", "with --domino: only waits of at least this length", &least_wait,
     NULL},
    {'b', "bounds", NULL,
     "print upper bounds of the savings for each call path, and write no report", NULL,
     &questions.bounds},
    {'l', "latency", NULL, "print how T depends on the latency, and write no report", NULL,
     &questions.latency},
    {0, "stragglers", NULL,
     "print T without slow ranks, slow iterations and noise, and write no report", NULL,
     &questions.stragglers},
    {'p', "project", NULL, "the trace is a cut (silas-structure --cut): predict the whole trace",
     NULL, &job.project},
    PLUGIN_OPTION,
    JOBS_OPTION,
    {0},
};

static const char *model_choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? "text json" : NULL;
}

static const struct program program = {
    .name = "silas-model",
    .summary = "Predicts by a model how a program would run under the hypotheses of a "
               "configuration, and reports the difference.",
    .usage = "[mpirun -np ANY] silas-model [options] CONFIG.ini\n"
             "[mpirun -np ANY] silas-model [options] TRACE\n"
             "[mpirun -np ANY] silas-model --project [CUTS] CONFIG.ini",
    .details = "silas-replay takes the same configuration, and measures T by a replay. Section "
               "[model] is for this program. CONFIG.ini may be - for standard input.\n"
               "The result does not depend on the number of processes.\n" QUESTION_OPTIONS_DETAILS,
    .options = options,
    .uses = &job.question.hypotheses,
    .least = 1,
    .most = 2,
    .choices = model_choices,
    PLUGIN_PROGRAM,
};

static int check_model_options(const struct program *used)
{
    static const char *const formats[] = {"text", "json", NULL};
    int format;
    questions.least_wait_s = -1;
    if (least_wait && !questions.domino)
        return options_usage_error(used, "--least-wait is for --domino");
    if (questions.saved && !questions.domino)
        return options_usage_error(used, "--save-waits is for --domino");
    if (format_name &&
        (!questions.domino || questions.bounds || questions.latency || questions.stragglers))
        return options_usage_error(used, "--format is for --domino alone");
    if (domino_mode && strcmp(domino_mode, "repeat") != 0)
        return options_usage_error(used, "--domino=%s: expected --domino or --domino=repeat",
                                   domino_mode);
    questions.repeats = domino_mode != NULL;
    const int wrong = output_format_choose(used, format_name, NULL, formats, &format);
    questions.json = wrong == 0 && format == 1;
    return wrong
               ?: option_seconds(used, "--least-wait", least_wait, true, &questions.least_wait_s)
               ?: local_jobs_check(used);
}

static enum status run_model_program(char **operands, struct processes *processes,
                                     struct error *error)
{
    const struct engine *engine = engine_find("model");
    bool asks = questions.domino || questions.bounds || questions.latency || questions.stragglers;
    if (asks && (job.project || operands[1]))
        return error_set(error, STATUS_USAGE,
                         "--domino, --bounds, --latency and --stragglers are for one whole trace: "
                         "omit %s",
                         job.project ? "--project" : operands[1]);
    if (asks)
        return model_questions_run(operands[0], &job.question, engine, &questions, processes,
                                   error);
    return replay_job_run(operands, engine, &job, processes, error);
}

int main(int argc, char **argv)
{
    question_options_list(own_options, &job.question, options);
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = check_model_options,
                                                        .run = run_model_program,
                                                        .jobs = local_jobs_of_question},
                                 argc, argv);
}
