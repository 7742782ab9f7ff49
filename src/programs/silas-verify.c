/* silas-verify: compares a prediction with measured runs of the changed program. */
#include "base/descriptors.h"
#include "base/log.h"
#include "programs/option_values.h"
#include "programs/output_format.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "report/report_file.h"
#include "results/verify/record.h"
#include "results/verify/verification.h"
#include "trace/load/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_BEYOND = 4, FORMATS_MOST = 8, RUNS_MOST = 1000 };

static const char *original_path, *region, *format_name, *fail_on, *output_path;
static const char *changed_program, *launcher, *runs_text;
static uint64_t runs = 1; /* of the changed program */
static const struct verify_format *format;
static double fail_percent = INFINITY;
static size_t operand_count;
static int beyond;

/* Finds a recording that the report in `folder` names: at that path, or next to the folder if both
 * were moved. False if it is in neither place. */
static bool find_recording(const char *recorded, const char *folder, char *path, size_t size)
{
    snprintf(path, size, "%s", recorded);
    if (access(path, R_OK) == 0)
        return true;
    snprintf(path, size, "%s/../%s", folder, recorded);
    return access(path, R_OK) == 0;
}

/* Process 0. The recording that --original names, or the first one of the report that exists. */
static bool find_original(const struct result *prediction, char *path, size_t size)
{
    const struct result_report *report = prediction->report;
    bool found = original_path != NULL;
    snprintf(path, size, "%s", found ? original_path : "");
    for (size_t i = 0; report && i < report->original_count && !found; i++)
        found = find_recording(report->originals[i], prediction->path, path, size);
    return found;
}

/* Collective. Opens a recording of the program. A prediction without the cost of tracing is
 * compared with recordings without it. */
static enum status open_recording(const char *path, bool untraced, struct processes *processes,
                                  struct result *side, struct error *error)
{
    return untraced ? result_open_untraced(path, processes, side, error)
                    : result_open(path, processes, side, error);
}

/* Collective. Opens the recording that --original names, or the first one of the report that still
 * exists. */
static enum status open_original(const struct result *prediction, bool untraced,
                                 struct processes *processes, struct result *original, bool *known,
                                 struct error *error)
{
    char path[4096] = "";
    int found = find_original(prediction, path, sizeof path);
    processes_broadcast(processes, &found, sizeof found);
    processes_broadcast(processes, path, sizeof path);
    *known = found;
    return found ? open_recording(path, untraced, processes, original, error) : STATUS_OK;
}

static bool write_verification(const void *what, FILE *stream)
{
    return format->write(what, stream);
}

/* Process 0. */
static enum status compare_with_prediction(const struct verification_input *input,
                                           struct error *error)
{
    struct verification verification;
    for (size_t i = 0; i <= input->truth_count; i++) {
        const struct result *side = i == 0 ? input->prediction : &input->truths[i - 1];
        if (!(side->time_s > 0))
            return error_set(error, STATUS_INPUT, "%s has no times to compare", side->path);
        if (side->report && !input->prediction->report)
            return error_set(error, STATUS_INPUT,
                             "%s is a prediction and %s a recording: name the prediction first",
                             side->path, input->prediction->path);
    }
    enum status status =
        verification_make(input, &verification, error)
            ?: report_file_write(output_path, write_verification, &verification, error);
    beyond = status == STATUS_OK &&
             100 * fabs(verification.times[verification.main_time].error) > fail_percent;
    if (beyond)
        log_warning("the prediction is off by %.2f %%, which is more than %g %% (--fail-on)",
                    100 * fabs(verification.times[verification.main_time].error), fail_percent);
    verification_clear(&verification);
    return status;
}

/* The options with which the unchanged program was recorded; none if its recording is not found. */
static struct recording_options find_options(const struct result *prediction)
{
    char path[4096];
    struct recording_options options = {NULL, NULL};
    struct error error;
    if (!find_original(prediction, path, sizeof path) ||
        trace_peek_recording(path, &options, &error) != STATUS_OK)
        log_note("the recording of the unchanged program is not found: if it was made with a "
                 "filter, silas-verify --run records without it");
    return options;
}

/* One process. Records the changed program and opens the recordings as `truths`. */
static enum status record_and_open(const struct result *prediction, bool untraced,
                                   struct processes *processes, struct result *truths,
                                   struct error *error)
{
    if (!prediction->report)
        return error_set(
            error, STATUS_INPUT,
            "--run needs the output directory of a prediction, with report.json; %s is not one",
            prediction->path);
    char **paths = calloc(runs, sizeof *paths);
    if (!paths)
        return error_memory(error, "the recordings");
    struct recording_options options = find_options(prediction);
    enum status status = record_truths(&(struct recording_job){.program = changed_program,
                                                               .launcher = launcher,
                                                               .folder = prediction->path,
                                                               .ranks = prediction->ranks,
                                                               .count = (size_t)runs,
                                                               .filter = options.filter,
                                                               .options = options.options},
                                       paths, error);
    free(options.filter);
    free(options.options);
    for (size_t i = 0; i < runs && status == STATUS_OK; i++)
        status = open_recording(paths[i], untraced, processes, &truths[i], error);
    for (size_t i = 0; i < runs; i++)
        free(paths[i]);
    free(paths);
    return status;
}

/* `sides`: the prediction, the truths, the original; all closed. */
static enum status verify(char **operands, struct result *sides, size_t truth_count,
                          struct processes *processes, struct error *error)
{
    bool known = false;
    enum status status = result_open(operands[0], processes, &sides[0], error);
    int untraced = sides[0].untraced;
    processes_broadcast(processes, &untraced, sizeof untraced);
    for (size_t i = 1; i < operand_count && status == STATUS_OK; i++)
        status = open_recording(operands[i], untraced, processes, &sides[i], error);
    if (status == STATUS_OK && changed_program)
        status = record_and_open(&sides[0], untraced, processes, &sides[operand_count], error);
    struct result *original = &sides[1 + truth_count];
    status = status ?: open_original(&sides[0], untraced, processes, original, &known, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0)
        status = compare_with_prediction(
            &(struct verification_input){.prediction = &sides[0],
                                         .truths = &sides[1],
                                         .truth_count = truth_count,
                                         .original = known ? original : NULL,
                                         .region = region},
            error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(processes, &beyond, sizeof beyond);
    return status;
}

static enum status run_verify(char **operands, struct processes *processes, struct error *error)
{
    while (operands[operand_count])
        operand_count++;
    const size_t truth_count = operand_count - 1 + (changed_program ? (size_t)runs : 0);
    if (truth_count == 0)
        return error_set(error, STATUS_USAGE,
                         "there is nothing to compare with: name a TRUTH, or a program with --run");
    if (changed_program && processes->size > 1)
        return error_set(error, STATUS_USAGE,
                         "--run starts the processes of the program: run silas-verify without a "
                         "launcher");
    struct result *sides = calloc(truth_count + 2, sizeof *sides);
    enum status status =
        processes_agree_memory(processes, sides != NULL, "the runs to compare", error)
            ?: verify(operands, sides, truth_count, processes, error);
    for (size_t i = 0; sides && i < truth_count + 2; i++)
        result_clear(&sides[i]);
    free(sides);
    return status;
}

/* Reads --fail-on, in percent. */
static int check_fail_on(const struct program *program)
{
    char *end = NULL;
    if (!fail_on)
        return 0;
    fail_percent = strtod(fail_on, &end);
    return end == fail_on || *end || !(fail_percent >= 0)
               ? options_usage_error(program, "--fail-on %s: expected a number of percent", fail_on)
               : 0;
}

static int check_verify_options(const struct program *program)
{
    const char *names[FORMATS_MOST] = {NULL};
    int choice = 0;
    for (size_t i = 0; verify_format_list[i]; i++)
        names[i] = verify_format_list[i]->name;
    if (!changed_program && (runs_text || launcher))
        return options_usage_error(program, "--runs and --launcher belong to --run");
    const int code = check_fail_on(program)
                         ?: option_whole(program, "--runs", runs_text, 1, RUNS_MOST, &runs)
                         ?: output_format_choose(program, format_name, output_path, names, &choice);
    format = verify_format_list[choice];
    return code;
}

static const char *verify_choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? descriptors_names(verify_format_list) : NULL;
}

int main(int argc, char **argv)
{
    const struct option_spec options[] = {
        {0, "region", "NAME", "compare only the region NAME", &region, NULL},
        {0, "run", "PROGRAM", "record PROGRAM (with its arguments), and compare with the recording",
         &changed_program, NULL},
        {0, "runs", "N", "record it N times; default: 1", &runs_text, NULL},
        {0, "launcher", "COMMAND",
         "start it by COMMAND, in which {ranks} stands for the number of ranks (default: the\n"
         "launcher of this MPI with -np {ranks})",
         &launcher, NULL},
        {0, "original", "TRACE", "the recording of the unchanged program", &original_path, NULL},
        {0, "fail-on", "PERCENT", "exit with code 4 if the predicted time is off by more", &fail_on,
         NULL},
        {'f', "format", "FORMAT", "text, html, json or csv; default: as FILE ends, or text",
         &format_name, NULL},
        {'o', "output", "FILE", "write to FILE instead of standard output", &output_path, NULL},
        PLUGIN_OPTION,
        {0},
    };
    const struct program program = {
        .name = "silas-verify",
        .summary = "Compares a prediction with measured runs of the changed program.",
        .usage = "silas-verify [options] PREDICTED TRUTH...\n"
                 "silas-verify [options] --run PROGRAM PREDICTED\n"
                 "mpirun -np M silas-verify [options] PREDICTED TRUTH...",
        .details =
            "PREDICTED is the output directory of silas-replay or silas-model, a trace, or a "
            "severity file.\nEach TRUTH is a trace or severity file of the changed program. M is "
            "any "
            "number of processes.",
        .options = options,
        .least = 1,
        .most = -1,
        PLUGIN_PROGRAM,
        .choices = verify_choices,
    };
    const int exit_code = program_main_parallel(
        &(struct program_main){
            .program = &program, .check = check_verify_options, .run = run_verify},
        argc, argv);
    return exit_code == 0 && beyond ? EXIT_BEYOND : exit_code;
}
