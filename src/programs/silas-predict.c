/* silas-predict: predicts the trace of a program from a description of the program, with any number
 * of processes; and writes such a description from traces. */
#include "base/log.h"
#include "base/plural.h"
#include "base/units.h"
#include "predict/evaluate.h"
#include "predict/from/from.h"
#include "predict/predicted.h"
#include "programs/option_values.h"
#include "programs/predict_options.h"
#include "programs/program_main.h"
#include "exchange/schedules/read.h"
#include "trace/save/save.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *ranks_text, *hardware_path, *output, *seed_text, *limit_text, *from;
static const char *set[OPTION_REPEATS];
static bool check_only;
static uint64_t ranks, seed = EVALUATION_SEED, limit = 200000000;

static const struct option_spec options[] = {
    {'n', "ranks", "P", "the number of ranks of the program", &ranks_text, NULL},
    {'s', "set", "NAME=VALUE ...", "the value of a parameter of the script; may be repeated", set,
     NULL},
    {'m', "hardware", "FILE",
     "costs of operations and messages (silas-calibrate --operations -o FILE, or by hand)",
     &hardware_path, NULL},
    {'o', "output", "DIR", "directory for the predicted archive; must not exist", &output, NULL},
    {'c', "check", NULL, "check whether the program would run, and write nothing", NULL,
     &check_only},
    {0, "seed", "NUMBER", "for random() and the probabilities of case (default: 1)", &seed_text,
     NULL},
    {0, "limit", "EVENTS", "refuse programs with more events than this (default: 200 million)",
     &limit_text, NULL},
    {'f', "from", "TRACE[:n=64],...",
     "write a script that reproduces these recordings; -o names its file", &from, NULL},
    {0},
};

static const struct program program = {
    .name = "silas-predict",
    .summary = "Predicts the trace of a program that does not exist yet.",
    .usage = "[mpirun -np ANY] silas-predict MODEL.silas --ranks P --hardware FILE -o DIR\n"
             "[mpirun -np ANY] silas-predict SCHEDULE.goal --hardware FILE -o DIR\n"
             "[mpirun -np ANY] silas-predict --from TRACE[:n=64][,TRACE:n=96...] -o MODEL.silas",
    .details = "The result does not depend on the number of processes. doc/predict.md explains the "
               "language\n"
               "of scripts, and doc/schedules.md the schedules of other tools.",
    .options = options,
    .least = 0,
    .most = 1,
};

static int check_predict_options(const struct program *used)
{
    const int code = option_whole(used, "--ranks", ranks_text, 1, UINT32_MAX / 2, &ranks)
                         ?: option_whole(used, "--seed", seed_text, 0, UINT64_MAX, &seed)
                         ?: option_whole(used, "--limit", limit_text, 1, UINT64_MAX / 64, &limit);
    if (code != 0)
        return code;
    if (!output && !check_only)
        return options_usage_error(used, from ? "the file of the script is missing: -o MODEL.silas"
                                              : "the directory of the trace is missing: -o DIR "
                                                "(or --check)");
    if (from && (ranks_text || set[0] || hardware_path || check_only))
        return options_usage_error(used, "--from writes a script; --ranks, --set, --hardware and "
                                         "--check are for the prediction from it");
    if (!from && !hardware_path)
        return options_usage_error(
            used, "the costs of operations and messages are missing: --hardware FILE "
                  "(silas-calibrate --operations -o FILE measures them)");
    return 0;
}

/* Collective. Reads the script, and sets the options of its evaluation. */
static enum status open_script(const char *path, struct evaluation *evaluation,
                               struct parameter_setting *settings, struct model_script **script,
                               struct processes *processes, struct error *error)
{
    enum status status = STATUS_OK;
    if (!ranks_text)
        status = error_set(
            error, STATUS_USAGE,
            "the number of ranks is missing: --ranks P (%s is read as a model script, since it "
            "is no schedule)",
            path);
    status = status ?: settings_parse(set, settings, &evaluation->setting_count, error)
                 ?: script_read(path, script, error);
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
    enum status status =
        open_script(path, &evaluation, settings, &script, processes, error)
            ?: script_predict(&evaluation, hardware_path, processes, trace, outcome, error);
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
        return error_set(
            error, STATUS_USAGE,
            "%s is a schedule, which defines its ranks and sizes: omit --ranks and --set", path);
    enum status status = schedule_read(path, processes, hardware, trace, error);
    return status ?: predict_times(*trace, hardware_path, outcome, error);
}

/* Shorter times are also printed in ms, us or ns. */
static const double SHORT_S = 0.1;

/* Process 0. */
static void print_outcome(const struct prediction_outcome *outcome, uint32_t rank_count)
{
    const double seconds = outcome->time_s;
    if (seconds < SHORT_S)
        printf("predicted: %.9f s (%s)", seconds, time_text_alone(seconds, 5).text);
    else
        printf("predicted: %.6f s", seconds);
    printf(", %u rank%s, %" PRId64 " events\n", rank_count, plural(rank_count), outcome->events);
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
    status = processes_agree(processes, status, error)
                 ?: ((schedule ? predict_schedule : predict_script)(path, &hardware, processes,
                                                                    &trace, &outcome, error));
    if (status == STATUS_OK && !check_only)
        status = trace_save(trace, output, error);
    if (status == STATUS_OK && processes->rank == 0)
        print_outcome(&outcome, trace->rank_count);
    free(outcome.approximations);
    trace_destroy(trace);
    return status;
}

/* The hardware file next to a script: model.ini of model.silas. NULL when out of memory. */
static char *hardware_path_of(const char *script)
{
    const char *dot = strrchr(script, '.'), *slash = strrchr(script, '/');
    int stem = (int)(dot && (!slash || dot > slash) ? dot - script : (long)strlen(script));
    char *path;
    return asprintf(&path, "%.*s.ini", stem, script) < 0 ? NULL : path;
}

static void print_from_outcome(const struct from_outcome *outcome, uint32_t recordings,
                               const char *hardware)
{
    printf("%s: %u statements, %u loops, %u tables; %.1f %% of the events are in loops\n", output,
           outcome->statements, outcome->loops, outcome->tables, 100 * outcome->coverage);
    printf("%s: costs of messages and calls in the %srecording\n", hardware,
           recordings > 1 ? "first " : "");
    if (isfinite(outcome->error))
        printf("T of the recording%s is predicted with an error of %+.2f %%; computation: %s\n",
               plural(recordings), 100 * outcome->error, outcome->form);
}

static enum status write_generator_script(struct processes *processes, struct error *error)
{
    struct recording_list recordings = {0};
    struct from_outcome outcome = {0};
    char *beside = hardware_path_of(output);
    enum status status = recordings_parse(from, &recordings, error);
    if (status == STATUS_OK && !beside)
        status = error_memory(error, "a path");
    status = processes_agree(processes, status, error)
                 ?: script_from_traces(recordings.items, recordings.count, output, beside,
                                       processes, &outcome, error);
    if (status == STATUS_OK && processes->rank == 0)
        print_from_outcome(&outcome, recordings.count, beside);
    recordings_clear(&recordings);
    free(beside);
    return status;
}

static enum status run_predict(char **operands, struct processes *processes, struct error *error)
{
    if (from && operands[0])
        return error_set(error, STATUS_USAGE, "--from takes no operand besides its recordings");
    if (!from && !operands[0])
        return error_set(error, STATUS_USAGE,
                         "no script is named; to make one from recordings, use --from TRACE");
    struct stat about;
    if (!from && stat(operands[0], &about) == 0 && S_ISDIR(about.st_mode))
        return error_set(
            error, STATUS_INPUT,
            "%s is a directory, not a script; of a recording, --from %s -o MODEL.silas "
            "makes one",
            operands[0], operands[0]);
    return from ? write_generator_script(processes, error) : predict(operands[0], processes, error);
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = check_predict_options,
                                                        .run = run_predict},
                                 argc, argv);
}
