/* silas-diff: compares results of any kind, or groups of repeated runs, and fails on conditions. */
#include "base/log.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/severity_output.h"
#include "report/report_file.h"
#include "report/json/values.h"
#include "results/gate.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_BEYOND = 4 };

static const char *fail_on[OPTION_REPEATS];
static char separator[] = ":"; /* among the operands: this pointer; getopt would drop "--" */
static int beyond;

struct condition_list {
    struct gate_condition *items[OPTION_REPEATS];
    size_t counts[OPTION_REPEATS];
};
static struct condition_list conditions;

/* --- conditions --------------------------------------------------------------------------------
 */

/* What is compared, on process 0. */
struct groups {
    struct result_group before, after;
};

static bool json_wanted(void)
{
    return fail_on[0] && strcmp(severity_output.format->name, "json") == 0;
}

static bool write_json(const void *what, FILE *stream)
{
    return json_dumpf(what, stream, JSON_INDENT(1)) == 0 && fputc('\n', stream) != EOF;
}

/* Takes over `findings`. */
static enum status write_findings(json_t *findings, struct error *error)
{
    const struct json_member members[] = {{"format", json_string("silas-gate")},
                                          {"version", json_integer(1)},
                                          {"beyond", json_boolean(beyond)},
                                          {"conditions", findings}};
    json_t *document = json_members(members, sizeof members / sizeof *members);
    enum status status = document
                             ? report_file_write(severity_output.path, write_json, document, error)
                             : error_memory(error, "the conditions");
    json_decref(document);
    return status;
}

static enum status test_conditions(const struct groups *groups, struct error *error)
{
    const bool in_table =
        !severity_output.path && strcmp(severity_output.format->name, "text") == 0;
    json_t *findings = json_array();
    enum status status = STATUS_OK;
    if (in_table && fail_on[0] && groups->before.count > 0)
        puts("");
    for (size_t i = 0; i < OPTION_REPEATS; i++)
        for (size_t k = 0; k < conditions.counts[i] && status == STATUS_OK; k++) {
            const struct gate_condition *condition = &conditions.items[i][k];
            struct gate_finding finding;
            status = gate_test(condition, &groups->before, &groups->after, &finding, error);
            if (status != STATUS_OK)
                break;
            gate_write(condition, &finding, in_table ? stdout : stderr);
            json_append(&findings, gate_json(condition, &finding));
            beyond = beyond || finding.beyond;
        }
    if (status == STATUS_OK && json_wanted())
        return write_findings(findings, error);
    json_decref(findings);
    return status;
}

/* --- the comparison ----------------------------------------------------------------------------
 */

static enum status write_difference(const struct groups *groups, struct error *error)
{
    struct severity *before = NULL, *after = NULL;
    enum status status = group_mean(&groups->before, &before, error);
    if (status == STATUS_OK)
        status = group_mean(&groups->after, &after, error);
    if (status == STATUS_OK)
        status = severity_output_write(&(struct report){.before = before, .after = after}, error);
    severity_destroy(before);
    severity_destroy(after);
    return status;
}

static enum status compare(const struct groups *groups, struct error *error)
{
    enum status status = STATUS_OK;
    if (groups->before.count > 0 && !json_wanted())
        status = write_difference(groups, error);
    if (status == STATUS_OK)
        status = test_conditions(groups, error);
    return status;
}

/* Takes the separator out of the operands and returns how many come before it. Without one the
 * first is alone, and if there is only one, nothing is before it. */
static size_t count_before(char **operands, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (operands[i] == separator) {
            memmove(&operands[i], &operands[i + 1], (*count - i) * sizeof *operands);
            --*count;
            return i;
        }
    return *count > 1;
}

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    struct result *runs;
    size_t count = 0;
    while (operands[count])
        count++;
    const size_t before = count_before(operands, &count);
    if (count == before || (before == 0 && !fail_on[0]))
        return error_set(error, STATUS_USAGE,
                         "nothing to compare with: expected silas-diff A B, or --fail-on");
    enum status status = results_open(operands, count, processes, &runs, error);
    if (status == STATUS_OK && processes->rank == 0) {
        const struct groups groups = {{runs, before}, {runs + before, count - before}};
        status = compare(&groups, error);
    }
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(processes, &beyond, sizeof beyond);
    results_close(runs, count);
    return status;
}

/* --- the command line --------------------------------------------------------------------------
 */

static int check(const struct program *program)
{
    for (size_t i = 0; i < OPTION_REPEATS && fail_on[i]; i++) {
        struct error error;
        const enum status status =
            gate_parse(fail_on[i], &conditions.items[i], &conditions.counts[i], &error);
        if (status == STATUS_USAGE)
            return options_usage_error(program, "%s", error.text);
        if (status != STATUS_OK)
            return log_error(&error);
    }
    return severity_output_check(program);
}

/* Puts the separator in the place of "--". */
static void keep_separator(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            argv[i] = separator;
            return;
        }
}

int main(int argc, char **argv)
{
    char names[REPORT_FORMAT_NAMES], details[REPORT_FORMAT_NAMES + 1024];
    snprintf(details, sizeof details,
             "Each operand is a severity file (%s, gzipped or not), a trace,\n"
             "the output directory of silas-replay or silas-model, or the folder of a measurement "
             "by Score-P\nor Scalasca. Differences are B - A, value by value; a value that one "
             "side lacks is 0 there.\nSeveral runs of a side are repetitions: their mean is "
             "compared. Without -- the first operand is A.\n\n"
             "A CONDITION is METRIC[@CALLPATH]>[+]NUMBER[UNIT], tested in the last group: "
             "\"mpi_latesender>5%%\" of\nall time, \"late_sender@solve>10ms\", \"T>+2%%\" growth "
             "against A; < is possible, too. If one is met,\nthe exit code is 4.",
             report_format_names(true, names));
    const struct option_spec options[] = {
        SEVERITY_OUTPUT_OPTIONS,
        {0, "fail-on", "CONDITION ...", "exit code 4 if it is met", fail_on, NULL},
        PLUGIN_OPTION,
        {0},
    };
    const struct program program = {
        .name = "silas-diff",
        .summary = "Compares results of silas-analyze, Scalasca or Score-P, traces and replays.",
        .usage = "silas-diff [options] A B...\nsilas-diff [options] A... -- B...\n"
                 "silas-diff --fail-on CONDITION [options] -- RUN...",
        .details = details,
        .options = options,
        .least = 1,
        .most = -1,
        .choices = severity_output_choices,
        PLUGIN_PROGRAM,
    };
    keep_separator(argc, argv);
    const int exit_code =
        program_main_parallel(&(struct program_main){&program, check, run}, argc, argv);
    for (size_t i = 0; i < OPTION_REPEATS; i++)
        gate_free(conditions.items[i], conditions.counts[i]);
    return exit_code == 0 && beyond ? EXIT_BEYOND : exit_code;
}
