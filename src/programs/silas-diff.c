/* silas-diff: compares results of any kind, or groups of repeated runs, and fails on conditions. */
#include "base/array.h"
#include "base/descriptors.h"
#include "base/json.h"
#include "base/log.h"
#include "exchange/exports/format.h"
#include "job/report_details.h"
#include "programs/local_jobs.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/severity_output.h"
#include "report/report_file.h"
#include "results/trend.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_BEYOND = 4 };

static const char *fail_on[OPTION_REPEATS];
static const char *trend_file;
static char separator[] = ":"; /* its address replaces "--", which getopt would drop */
static int beyond;
static const struct export_format
    *time_line; /* written of the two traces, instead of a report; NULL: none */

struct fail_conditions {
    struct gate_condition *items[OPTION_REPEATS];
    size_t counts[OPTION_REPEATS];
};
static struct fail_conditions conditions;

/* The compared groups of runs, on process 0. */
struct diff_groups {
    struct result_group before, after;
    const struct report_details *details;
};

/* How many runs each group has; the runs of all groups are one list. */
struct group_sizes {
    size_t *sizes; /* [count] */
    size_t count;
};

static bool json_wanted(void)
{
    return fail_on[0] && strcmp(severity_output.format->name, "json") == 0;
}

static bool write_diff_json(const void *what, FILE *stream)
{
    return json_write(json_incref((json_t *)what), stream);
}

/* Takes over `findings`. */
static enum status write_findings(json_t *findings, struct error *error)
{
    json_t *document =
        JSON_MEMBERS({"format", json_string("silas-gate")}, {"version", json_integer(1)},
                     {"beyond", json_boolean(beyond)}, {"conditions", findings});
    enum status status =
        document ? report_file_write(severity_output.path, write_diff_json, document, error)
                 : error_memory(error, "the conditions");
    json_decref(document);
    return status;
}

static enum status test_conditions(const struct diff_groups *groups, struct error *error)
{
    const bool in_table =
        !severity_output.path && !trend_file && strcmp(severity_output.format->name, "text") == 0;
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

static enum status write_metric_difference(const struct diff_groups *groups, struct error *error)
{
    struct severity *before = NULL, *after = NULL;
    enum status status =
        group_mean(&groups->before, &before, error) ?: group_mean(&groups->after, &after, error);
    if (status == STATUS_OK)
        status = severity_output_write(
            &(struct report){.before = before, .after = after, .details = groups->details}, error);
    severity_destroy(before);
    severity_destroy(after);
    return status;
}

static enum status compare_files(const struct diff_groups *groups, struct error *error)
{
    enum status status = STATUS_OK;
    if (groups->before.count > 0 && !json_wanted())
        status = write_metric_difference(groups, error);
    status = status ?: test_conditions(groups, error);
    return status;
}

static enum status write_trend(const struct result_group *groups, size_t count, struct error *error)
{
    ARRAY(const struct gate_condition *) all = {0};
    struct trend trend = {0};
    bool room = true;
    for (size_t i = 0; i < OPTION_REPEATS; i++)
        for (size_t k = 0; k < conditions.counts[i]; k++)
            room = room && array_push(&all, &conditions.items[i][k]);
    enum status status = (room ? trend_find(groups, count, all.items, all.count, &trend, error)
                               : error_memory(error, "the trend's conditions"))
                             ?: report_file_write(trend_file, trend_write_page, &trend, error);
    trend_clear(&trend);
    free(all.items);
    return status;
}

/* Writes the trend, and tests the last point against the one before it. */
static enum status show_trend(const struct result *runs, const struct group_sizes *grouping,
                              struct error *error)
{
    struct result_group *groups = calloc(grouping->count, sizeof *groups);
    if (!groups)
        return error_memory(error, "the points of the trend");
    for (size_t i = 0; i < grouping->count; runs += grouping->sizes[i++])
        groups[i] = (struct result_group){runs, grouping->sizes[i]};
    enum status status = write_trend(groups, grouping->count, error);
    if (status == STATUS_OK)
        status = test_conditions(&(struct diff_groups){.before = groups[grouping->count - 2],
                                                       .after = groups[grouping->count - 1]},
                                 error);
    free(groups);
    return status;
}

/* Removes the separators from the operands, and counts the runs between them. */
static void group_operands(char **operands, struct group_sizes *grouping)
{
    size_t kept = 0;
    grouping->count = 1;
    for (size_t i = 0; operands[i]; i++)
        if (operands[i] == separator) {
            grouping->count++;
        } else {
            grouping->sizes[grouping->count - 1]++;
            operands[kept++] = operands[i];
        }
    operands[kept] = NULL;
    if (trend_file && grouping->sizes[0] == 0 && grouping->count > 1) /* a "--" before the first */
        memmove(grouping->sizes, &grouping->sizes[1], --grouping->count * sizeof *grouping->sizes);
}

/* Groups runs without separators. In a trend, each run is a point. In a comparison, the first run
 * is before and the others are after; a single run is after. */
static void group_plain(struct group_sizes *grouping)
{
    const size_t runs = grouping->sizes[0];
    if (trend_file) {
        for (size_t i = 0; i < runs; i++)
            grouping->sizes[i] = 1;
        grouping->count = runs;
    } else {
        grouping->sizes[0] = runs > 1;
        grouping->sizes[1] = runs - grouping->sizes[0];
        grouping->count = 2;
    }
}

static enum status check_groups(const struct group_sizes *grouping, struct error *error)
{
    const size_t last = grouping->sizes[grouping->count - 1];
    if (trend_file && grouping->count < 2)
        return error_set(error, STATUS_USAGE, "--trend %s: expected two runs or more", trend_file);
    for (size_t i = 0; trend_file && i < grouping->count; i++)
        if (grouping->sizes[i] == 0)
            return error_set(error, STATUS_USAGE, "--trend %s: expected a run between two --",
                             trend_file);
    if (!trend_file && grouping->count > 2)
        return error_set(error, STATUS_USAGE,
                         "more than two groups of runs: use --trend FILE for their trend");
    if (last == 0 || (grouping->sizes[0] == 0 && !fail_on[0]))
        return error_set(error, STATUS_USAGE,
                         "nothing to compare with: expected silas-diff A B, or --fail-on");
    return STATUS_OK;
}

/* Collective. Finds efficiencies and time lines of two traces, for formats that show them. */
static enum status find_diff_details(const struct result *runs, const struct group_sizes *grouping,
                                     struct found_details *found, struct error *error)
{
    if (grouping->sizes[0] != 1 || grouping->sizes[1] != 1 || !runs[0].trace || !runs[1].trace)
        return STATUS_OK;
    return report_details_find(runs[0].trace, runs[1].trace, severity_output.format->wants, found,
                               error);
}

static enum status compare_groups(char **operands, const struct group_sizes *grouping,
                                  struct processes *processes, struct error *error)
{
    const bool detailed = severity_output.format->wants && !trend_file && !json_wanted();
    struct found_details found = {.timelines = NULL};
    struct result *runs;
    size_t count = 0;
    enum status status = check_groups(grouping, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < grouping->count; i++)
        count += grouping->sizes[i];
    status = results_open(operands, count, detailed, processes, &runs, error);
    if (status == STATUS_OK && detailed)
        status = find_diff_details(runs, grouping, &found, error);
    if (status == STATUS_OK && processes->rank == 0) {
        const size_t before = grouping->sizes[0];
        status = trend_file ? show_trend(runs, grouping, error)
                            : compare_files(&(struct diff_groups){{runs, before},
                                                                  {runs + before, count - before},
                                                                  &found.details},
                                            error);
    }
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(processes, &beyond, sizeof beyond);
    report_details_clear(&found);
    results_close(runs, count);
    return status;
}

/* Collective. Writes both traces into one time line. */
static enum status write_time_line(char **operands, struct processes *processes,
                                   struct error *error)
{
    struct result *runs;
    enum status status = results_open(operands, 2, true, processes, &runs, error);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        if (!runs[i].trace)
            status =
                error_set(error, STATUS_USAGE, "%s is not a trace: --format %s takes two traces",
                          operands[i], time_line->name);
    if (status == STATUS_OK)
        status = time_line->write(runs[0].trace,
                                  &(struct export_options){.path = severity_output.path,
                                                           .beside = runs[1].trace,
                                                           .labels = {operands[0], operands[1]}},
                                  error);
    results_close(runs, 2);
    return status;
}

static enum status run_diff(char **operands, struct processes *processes, struct error *error)
{
    size_t count = 0;
    while (operands[count])
        count++;
    struct group_sizes grouping = {.sizes = calloc(count + 2, sizeof *grouping.sizes)};
    enum status status =
        processes_agree_memory(processes, grouping.sizes != NULL, "groups of runs", error);
    if (status == STATUS_OK) {
        group_operands(operands, &grouping);
        if (grouping.count == 1)
            group_plain(&grouping);
        if (!time_line)
            status = compare_groups(operands, &grouping, processes, error);
        else if (grouping.count == 2 && grouping.sizes[0] == 1 && grouping.sizes[1] == 1)
            status = write_time_line(operands, processes, error);
        else
            status =
                error_set(error, STATUS_USAGE, "--format %s takes two traces", time_line->name);
    }
    free(grouping.sizes);
    return status;
}

/* Chooses a format of time lines, if --format names one. Returns the exit code of a usage error. */
static int check_time_line(const struct program *program)
{
    const char *name = severity_output.format_name;
    const struct export_format *format = name ? descriptors_find(export_format_list, name) : NULL;
    if (!format || !format->compares || report_format_find(name))
        return severity_output_check(program);
    time_line = format;
    if (!severity_output.path)
        return options_usage_error(program, "the format %s is binary: use -o FILE", name);
    if (fail_on[0] || trend_file)
        return options_usage_error(program, "--format %s has no conditions and no trend", name);
    return 0;
}

static const char *diff_choices(const char *option)
{
    static char names[REPORT_FORMAT_NAMES + 64];
    const char *reports = severity_output_choices(option);
    size_t size = 0;
    if (!reports)
        return NULL;
    size = (size_t)snprintf(names, sizeof names, "%s", reports);
    for (const struct export_format *const *f = export_format_list; *f; f++)
        if ((*f)->compares && size < sizeof names)
            size += (size_t)snprintf(names + size, sizeof names - size, " %s", (*f)->name);
    return names;
}

static int check_diff_options(const struct program *program)
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
    return check_time_line(program) ?: local_jobs_check(program);
}

/* Replaces each "--" by the separator. */
static void keep_separators(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            argv[i] = separator;
}

int main(int argc, char **argv)
{
    char names[REPORT_FORMAT_NAMES], details[REPORT_FORMAT_NAMES + 1024];
    snprintf(
        details, sizeof details,
        "Each operand is a severity file (%s, gzipped or not), a trace,\n"
        "the output directory of silas-replay or silas-model, or the folder of a measurement "
        "by Score-P\nor Scalasca. Differences are B - A, value by value; a value that one "
        "side lacks counts as 0.\nSeveral runs of a side are repetitions, and their mean is "
        "compared. Without --, the first operand is A.\n\n"
        "A CONDITION is METRIC[@CALLPATH]>[+]NUMBER[UNIT] (or with <), tested in the last group: "
        "\"mpi_latesender>5%%\"\nof all time, \"late_sender@solve>10ms\", \"T>+2%%\" for growth "
        "compared with A. If one is met, the exit\ncode is 4.\n\n"
        "--format perfetto writes two traces into one time line for ui.perfetto.dev.\n\n"
        "A trend has one point per RUN or, with -- between them, per group of repeated runs. "
        "Conditions are\nmarked at each point, and the last point decides the exit code.",
        report_format_names(true, names));
    const struct option_spec options[] = {
        SEVERITY_OUTPUT_OPTIONS,
        {0, "trend", "FILE", "write a page with T, waits and conditions of each run", &trend_file,
         NULL},
        {0, "fail-on", "CONDITION ...", "exit with code 4 if the condition is met", fail_on, NULL},
        PLUGIN_OPTION,
        JOBS_OPTION,
        {0},
    };
    const struct program program = {
        .name = "silas-diff",
        .summary = "Compares results of silas-analyze, Scalasca or Score-P, traces and replays.",
        .usage = "silas-diff [options] A B...\nsilas-diff [options] A... -- B...\n"
                 "silas-diff --fail-on CONDITION [options] -- RUN...\n"
                 "silas-diff --trend FILE [options] RUN... (or RUN... -- RUN... -- ...)",
        .details = details,
        .options = options,
        .least = 1,
        .most = -1,
        .choices = diff_choices,
        PLUGIN_PROGRAM,
    };
    keep_separators(argc, argv);
    const int exit_code = program_main_parallel(
        &(struct program_main){
            .program = &program, .check = check_diff_options, .run = run_diff, .jobs = local_jobs},
        argc, argv);
    for (size_t i = 0; i < OPTION_REPEATS; i++)
        gate_free(conditions.items[i], conditions.counts[i]);
    return exit_code == 0 && beyond ? EXIT_BEYOND : exit_code;
}
