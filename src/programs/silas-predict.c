/* silas-predict: the trace that a program would leave, from a description of the program, with any
 * number of processes; and the description of a program from its traces. */
#include "base/log.h"
#include "base/plural.h"
#include "predict/evaluate.h"
#include "predict/from/from.h"
#include "predict/predicted.h"
#include "programs/predict_options.h"
#include "programs/program_main.h"
#include "exchange/schedules/read.h"
#include "trace/save/save.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *ranks_text, *hardware_path, *output, *seed_text, *limit_text, *from;
static const char *set[OPTION_REPEATS];
static bool check_only;
static uint64_t ranks, seed = 1, limit = 200000000;

static const struct option_spec options[] = {
    {'n', "ranks", "P", "the number of ranks of the program", &ranks_text, NULL},
    {'s', "set", "NAME=VALUE ...", "the value of a parameter of the script; may be repeated", set,
     NULL},
    {'m', "hardware", "FILE",
     "what operations and messages cost (silas-calibrate --operations -o FILE, or by hand)",
     &hardware_path, NULL},
    {'o', "output", "DIR", "where the predicted archive is written; must not exist", &output, NULL},
    {'c', "check", NULL, "find out whether the program would run, but write nothing", NULL,
     &check_only},
    {0, "seed", "NUMBER", "of random() and of the probabilities of case (default: 1)", &seed_text,
     NULL},
    {0, "limit", "EVENTS", "refuse programs with more events than this (default: 200 million)",
     &limit_text, NULL},
    {'f', "from", "TRACE[:n=64],...",
     "write a script that reproduces these recordings to the file of -o", &from, NULL},
    {0},
};

static const struct program program = {
    .name = "silas-predict",
    .summary = "Predicts the trace of a program that does not exist yet.",
    .usage = "[mpirun -np ANY] silas-predict MODEL.silas --ranks P --hardware FILE -o DIR\n"
             "[mpirun -np ANY] silas-predict SCHEDULE.goal --hardware FILE -o DIR\n"
             "[mpirun -np ANY] silas-predict --from TRACE[:n=64][,TRACE:n=96...] -o MODEL.silas",
    .details =
        "The outcome does not depend on the number of processes. doc/predict.md explains the "
        "language of the scripts, doc/schedules.md schedules of other tools.",
    .options = options,
    .least = 0,
    .most = 1,
};

static int check(const struct program *used)
{
    if (ranks_text && !option_number(ranks_text, 1, UINT32_MAX / 2, &ranks))
        return options_usage_error(used, "--ranks is a number from 1 on, not %s", ranks_text);
    if (seed_text && !option_number(seed_text, 0, UINT64_MAX, &seed))
        return options_usage_error(used, "--seed is a whole number from 0 on, not %s", seed_text);
    if (limit_text && !option_number(limit_text, 1, UINT64_MAX / 64, &limit))
        return options_usage_error(used, "--limit is a number of events from 1 on, not %s",
                                   limit_text);
    if (!output && !check_only)
        return options_usage_error(used, from ? "say where to write the script: -o MODEL.silas"
                                              : "say where to write: -o DIR (or --check)");
    if (from && (ranks_text || set[0] || hardware_path || check_only))
        return options_usage_error(used, "--from writes a script; --ranks, --set, --hardware and "
                                         "--check are for the prediction from it");
    if (!from && !hardware_path)
        return options_usage_error(used, "say what operations and messages cost: --hardware FILE "
                                         "(silas-calibrate --operations -o FILE measures it)");
    return 0;
}

/* Collective. What the command line says of the script. */
static enum status open_script(const char *path, struct evaluation *evaluation,
                               struct parameter_setting *settings, struct model_script **script,
                               struct processes *processes, struct error *error)
{
    enum status status = STATUS_OK;
    if (!ranks_text)
        status = error_set(error, STATUS_USAGE, "say how many ranks the program has: --ranks P");
    if (status == STATUS_OK)
        status = settings_parse(set, settings, &evaluation->setting_count, error);
    if (status == STATUS_OK)
        status = script_read(path, script, error);
    evaluation->ranks = (uint32_t)ranks;
    evaluation->settings = settings;
    evaluation->seed = seed;
    evaluation->most_events = limit;
    evaluation->script = *script;
    return processes_agree(processes, status, error);
}

/* Collective. */
static enum status predict_script(const char *path, const struct hardware *hardware,
                                  struct processes *processes, struct trace **trace,
                                  struct prediction_outcome *outcome, struct error *error)
{
    struct parameter_setting settings[OPTION_REPEATS];
    struct model_script *script = NULL;
    struct evaluation evaluation = {.hardware = hardware};
    enum status status = open_script(path, &evaluation, settings, &script, processes, error);
    if (status == STATUS_OK)
        status = script_evaluate(&evaluation, processes, trace, error);
    if (status == STATUS_OK) {
        status = predict_times(*trace, hardware_path, outcome, error);
        if (status == STATUS_INPUT && processes->rank == 0)
            script_locate(&evaluation, error);
    }
    script_destroy(script);
    settings_clear(settings, evaluation.setting_count);
    return status;
}

/* Collective. */
static enum status predict_schedule(const char *path, const struct hardware *hardware,
                                    struct processes *processes, struct trace **trace,
                                    struct prediction_outcome *outcome, struct error *error)
{
    if (ranks_text || set[0])
        return error_set(error, STATUS_USAGE,
                         "%s is a schedule, which names its ranks and sizes itself: leave out "
                         "--ranks and --set",
                         path);
    enum status status = schedule_read(path, processes, hardware, trace, error);
    return status == STATUS_OK ? predict_times(*trace, hardware_path, outcome, error) : status;
}

/* Process 0. */
static void print_outcome(const struct prediction_outcome *outcome, uint32_t rank_count)
{
    printf("predicted: %.6f s, %u %s, %" PRId64 " events\n", outcome->time_s, rank_count,
           rank_count == 1 ? "rank" : "ranks", outcome->events);
    fputs(outcome->approximations ? outcome->approximations : "", stdout);
    if (!check_only)
        printf("written to %s/traces.otf2\n", output);
}

static enum status predict(const char *path, struct processes *processes, struct error *error)
{
    struct hardware hardware;
    struct trace *trace = NULL;
    struct prediction_outcome outcome = {0};
    bool schedule = processes->rank == 0 && schedule_recognises(path);
    processes_broadcast(processes, &schedule, sizeof schedule);
    enum status status = hardware_load(hardware_path, &hardware, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = (schedule ? predict_schedule : predict_script)(path, &hardware, processes, &trace,
                                                                &outcome, error);
    if (status == STATUS_OK && !check_only)
        status = trace_save(trace, output, error);
    if (status == STATUS_OK && processes->rank == 0)
        print_outcome(&outcome, trace->rank_count);
    free(outcome.approximations);
    trace_destroy(trace);
    return status;
}

/* The file beside the script that has what its calls cost: model.ini of model.silas. */
static char *hardware_of(const char *script)
{
    const char *dot = strrchr(script, '.'), *slash = strrchr(script, '/');
    int stem = (int)(dot && (!slash || dot > slash) ? dot - script : (long)strlen(script));
    char *path;
    return asprintf(&path, "%.*s.ini", stem, script) < 0 ? NULL : path;
}

static enum status write_script(struct processes *processes, struct error *error)
{
    struct recordings recordings = {0};
    struct from_outcome outcome = {0};
    char *beside = hardware_of(output);
    enum status status = recordings_parse(from, &recordings, error);
    if (status == STATUS_OK && !beside)
        status = error_memory(error, "a path");
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = script_from_traces(recordings.items, recordings.count, output, beside, processes,
                                    &outcome, error);
    if (status == STATUS_OK && processes->rank == 0)
        printf("%s: %u statements, %u loops, %u tables; %.1f %% of the events are in loops\n"
               "%s: what messages and calls cost in the recording%s\n",
               output, outcome.statements, outcome.loops, outcome.tables, 100 * outcome.coverage,
               beside, plural(recordings.count));
    recordings_clear(&recordings);
    free(beside);
    return status;
}

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    if (from && operands[0])
        return error_set(error, STATUS_USAGE, "--from takes no other operand than its recordings");
    if (!from && !operands[0])
        return error_set(error, STATUS_USAGE,
                         "name a model script, or recordings to make one from: --from TRACE");
    return from ? write_script(processes, error) : predict(operands[0], processes, error);
}

int main(int argc, char **argv)
{
    return program_main_parallel(
        &(struct program_main){.program = &program, .check = check, .run = run}, argc, argv);
}
