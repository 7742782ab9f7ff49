/* silas-verify: compares a prediction with runs of the really changed program. */
#include "base/descriptors.h"
#include "base/log.h"
#include "base/names.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "report/report_file.h"
#include "results/verify/record.h"
#include "results/verify/verification.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_BEYOND = 4, FORMATS_MOST = 8, RUNS_MOST = 1000 };

static const char *original_path, *region, *format_name, *fail_on, *output_path;
static const char *changed_program, *launcher, *runs_text;
static size_t runs = 1; /* of the changed program */
static const struct verify_format *format;
static double fail_percent = INFINITY;
static size_t operand_count;
static int beyond;

/* Writes where a recording is that the report in `folder` names: as it is, or beside the folder, if
 * both were moved. False if it is in neither place. */
static bool find_recording(const char *recorded, const char *folder, char *path, size_t size)
{
    snprintf(path, size, "%s", recorded);
    if (access(path, R_OK) == 0)
        return true;
    snprintf(path, size, "%s/../%s", folder, recorded);
    return access(path, R_OK) == 0;
}

/* Collective. The original is the first recording of the report that is still there, or what
 * --original names. */
static enum status open_original(const struct result *prediction, struct processes *processes,
                                 struct result *original, bool *known, struct error *error)
{
    char path[4096] = "";
    int found = original_path != NULL;
    if (original_path)
        snprintf(path, sizeof path, "%s", original_path);
    const struct result_report *report = prediction->report;
    for (size_t i = 0; report && i < report->original_count && !found; i++)
        found = find_recording(report->originals[i], prediction->path, path, sizeof path);
    processes_broadcast(processes, &found, sizeof found);
    processes_broadcast(processes, path, sizeof path);
    *known = found;
    return found ? result_open(path, processes, original, error) : STATUS_OK;
}

static bool write_all(const void *what, FILE *stream)
{
    return format->write(what, stream);
}

/* Process 0. */
static enum status compare(const struct verification_input *input, struct error *error)
{
    struct verification verification;
    for (size_t i = 0; i <= input->truth_count; i++) {
        const struct result *side = i == 0 ? input->prediction : &input->truths[i - 1];
        if (!(side->time_s > 0))
            return error_set(error, STATUS_INPUT, "%s has no times to compare", side->path);
    }
    enum status status = verification_make(input, &verification, error);
    if (status == STATUS_OK)
        status = report_file_write(output_path, write_all, &verification, error);
    beyond = status == STATUS_OK &&
             100 * fabs(verification.times[verification.main_time].error) > fail_percent;
    if (beyond)
        log_warning("the prediction is off by %.2f %%, which is more than %g %% (--fail-on)",
                    100 * fabs(verification.times[verification.main_time].error), fail_percent);
    verification_clear(&verification);
    return status;
}

/* One process. Records the changed program and opens what was recorded as `truths`. */
static enum status record_and_open(const struct result *prediction, struct processes *processes,
                                   struct result *truths, struct error *error)
{
    if (!prediction->report)
        return error_set(error, STATUS_INPUT,
                         "--run needs a prediction in its output directory, with report.json; %s "
                         "is none",
                         prediction->path);
    char **paths = calloc(runs, sizeof *paths);
    if (!paths)
        return error_memory(error, "the recordings");
    enum status status = record_truths(&(struct recording_job){.program = changed_program,
                                                               .launcher = launcher,
                                                               .folder = prediction->path,
                                                               .ranks = prediction->ranks,
                                                               .count = runs},
                                       paths, error);
    for (size_t i = 0; i < runs && status == STATUS_OK; i++)
        status = result_open(paths[i], processes, &truths[i], error);
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
    enum status status = STATUS_OK;
    for (size_t i = 0; i < operand_count && status == STATUS_OK; i++)
        status = result_open(operands[i], processes, &sides[i], error);
    if (status == STATUS_OK && changed_program)
        status = record_and_open(&sides[0], processes, &sides[operand_count], error);
    struct result *original = &sides[1 + truth_count];
    if (status == STATUS_OK)
        status = open_original(&sides[0], processes, original, &known, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0)
        status = compare(&(struct verification_input){.prediction = &sides[0],
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

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    while (operands[operand_count])
        operand_count++;
    const size_t truth_count = operand_count - 1 + (changed_program ? runs : 0);
    if (truth_count == 0)
        return error_set(error, STATUS_USAGE,
                         "nothing to compare with: name a TRUTH, or a program with --run");
    if (changed_program && processes->size > 1)
        return error_set(error, STATUS_USAGE,
                         "--run starts the program's processes itself: run silas-verify without a "
                         "launcher");
    struct result *sides = calloc(truth_count + 2, sizeof *sides);
    enum status status =
        processes_agree_memory(processes, sides != NULL, "the runs to compare", error);
    if (status == STATUS_OK)
        status = verify(operands, sides, truth_count, processes, error);
    for (size_t i = 0; sides && i < truth_count + 2; i++)
        result_clear(&sides[i]);
    free(sides);
    return status;
}

static int choose_format(const struct program *program)
{
    const char *names[FORMATS_MOST], *wanted = format_name ? format_name : "text";
    size_t count = 0;
    for (; verify_format_list[count]; count++) {
        names[count] = verify_format_list[count]->name;
        if (strcmp(names[count], wanted) == 0)
            format = verify_format_list[count];
    }
    if (format)
        return 0;
    const int nearest = nearest_name(wanted, names, count);
    return options_usage_error(program, "unknown format \"%s\"; did you mean \"%s\"?", wanted,
                               names[nearest < 0 ? 0 : nearest]);
}

static int check(const struct program *program)
{
    char *end = NULL;
    if (fail_on) {
        fail_percent = strtod(fail_on, &end);
        if (end == fail_on || *end || !(fail_percent >= 0))
            return options_usage_error(program, "--fail-on %s: expected a number of percent",
                                       fail_on);
    }
    if (!changed_program && (runs_text || launcher))
        return options_usage_error(program, "--runs and --launcher belong to --run");
    if (runs_text) {
        const long number = strtol(runs_text, &end, 10);
        if (end == runs_text || *end || number < 1 || number > RUNS_MOST)
            return options_usage_error(program, "--runs %s: expected a number from 1 to %d",
                                       runs_text, RUNS_MOST);
        runs = (size_t)number;
    }
    return choose_format(program);
}

static const char *choices(const char *option)
{
    return option && strcmp(option, "format") == 0 ? descriptors_names(verify_format_list) : NULL;
}

int main(int argc, char **argv)
{
    const struct option_spec options[] = {
        {0, "region", "NAME", "compare only what happens within a region", &region, NULL},
        {0, "run", "PROGRAM", "record PROGRAM, with its arguments, and compare with that",
         &changed_program, NULL},
        {0, "runs", "N", "record it N times; default: 1", &runs_text, NULL},
        {0, "launcher", "COMMAND",
         "start it by this command, with {ranks} for their number (default: the launcher "
         "of this MPI with -np {ranks})",
         &launcher, NULL},
        {0, "original", "TRACE", "the recording of the unchanged program", &original_path, NULL},
        {0, "fail-on", "PERCENT", "exit code 4 if the time is off by more", &fail_on, NULL},
        {'f', "format", "FORMAT", "text, json or csv; default: text", &format_name, NULL},
        {'o', "output", "FILE", "write to FILE instead of standard output", &output_path, NULL},
        PLUGIN_OPTION,
        {0},
    };
    const struct program program = {
        .name = "silas-verify",
        .summary = "Compares a prediction with what was really measured.",
        .usage = "silas-verify [options] PREDICTED TRUTH...\n"
                 "silas-verify [options] --run PROGRAM PREDICTED\n"
                 "mpirun -np M silas-verify [options] PREDICTED TRUTH...",
        .details =
            "PREDICTED is the output directory of silas-replay or silas-model, a trace, or a "
            "severity file.\nEach TRUTH is a trace or severity file of the really changed "
            "program. M is any number.",
        .options = options,
        .least = 1,
        .most = -1,
        PLUGIN_PROGRAM,
        .choices = choices,
    };
    const int exit_code = program_main_parallel(
        &(struct program_main){.program = &program, .check = check, .run = run}, argc, argv);
    return exit_code == 0 && beyond ? EXIT_BEYOND : exit_code;
}
