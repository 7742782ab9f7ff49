/* silas-report: shows results, their mean or their union, or converts them to another format. */
#include "job/report_details.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/severity_output.h"
#include "results/group.h"

static bool mean, merge;

/* Process 0. */
static enum status write_result(const struct result *runs, size_t count,
                                const struct report_details *details, struct error *error)
{
    const struct result_group group = {runs, count};
    struct severity *severity = NULL;
    enum status status = STATUS_OK;
    if (count == 1)
        return severity_output_write(&(struct report){.run = runs[0].severity, .details = details},
                                     error);
    status = merge ? group_merge(&group, &severity, error) : group_mean(&group, &severity, error);
    if (status == STATUS_OK)
        status = severity_output_write(&(struct report){.run = severity}, error);
    severity_destroy(severity);
    return status;
}

static enum status run_report(char **operands, struct processes *processes, struct error *error)
{
    struct result *runs;
    size_t count = 0;
    while (operands[count])
        count++;
    if (count > 1 && mean == merge)
        return error_set(error, STATUS_USAGE,
                         "several results need --mean (of repeated runs) or --merge (of metrics of "
                         "different tools)");
    const unsigned wants = severity_output.format->wants;
    struct found_details found = {.timelines = NULL};
    enum status status =
        results_open(operands, count, wants && count == 1, processes, &runs, error);
    if (status == STATUS_OK && runs[0].trace)
        status = report_details_find(NULL, runs[0].trace, wants, &found, error)
                     ?: report_details_add_live(runs[0].trace, NULL, NULL, wants, &found, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = write_result(runs, count, &found.details, error);
    status = processes_agree(processes, status, error);
    report_details_clear(&found);
    results_close(runs, count);
    return status;
}

int main(int argc, char **argv)
{
    char names[REPORT_FORMAT_NAMES], details[REPORT_FORMAT_NAMES + 256];
    snprintf(details, sizeof details,
             "FILE is a severity file (%s, gzipped or not), a trace, the\n"
             "output directory of silas-replay or silas-model, or the folder of a measurement by "
             "Score-P or Scalasca.",
             report_format_names(true, names));
    const struct option_spec options[] = {
        SEVERITY_OUTPUT_OPTIONS,
        {0, "mean", NULL, "show the mean of repeated runs, value by value", NULL, &mean},
        {0, "merge", NULL, "show all metrics of several results of one run", NULL, &merge},
        PLUGIN_OPTION,
        {0},
    };
    const struct program program = {
        .name = "silas-report",
        .summary = "Shows results of silas-analyze, Scalasca or Score-P, or converts them to "
                   "another format.",
        .usage = "silas-report [options] FILE\nsilas-report --mean|--merge [options] FILE...",
        .details = details,
        .options = options,
        .least = 1,
        .most = -1,
        .choices = severity_output_choices,
        PLUGIN_PROGRAM,
    };
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = severity_output_check,
                                                        .run = run_report},
                                 argc, argv);
}
