/* silas-diff: compares two results, which may be stored in different formats. */
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/severity_output.h"

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    struct severity *a = NULL, *b = NULL;
    (void)processes;
    enum status status = report_read(operands[0], &a, error);
    if (status == STATUS_OK)
        status = report_read(operands[1], &b, error);
    if (status == STATUS_OK)
        status = severity_output_write(&(struct report){.before = a, .after = b}, error);
    severity_destroy(a);
    severity_destroy(b);
    return status;
}

int main(int argc, char **argv)
{
    char names[REPORT_FORMAT_NAMES], details[REPORT_FORMAT_NAMES + 192];
    snprintf(details, sizeof details,
             "A and B are severity files: %s, gzipped or not; their formats may differ.\n"
             "Differences are B - A, value by value; a value that one file lacks is 0 there.",
             report_format_names(true, names));
    const struct option_spec options[] = {SEVERITY_OUTPUT_OPTIONS, PLUGIN_OPTION, {0}};
    const struct program program = {
        .name = "silas-diff",
        .summary = "Compares two results of silas-analyze, Scalasca or Score-P.",
        .usage = "silas-diff [options] A B",
        .details = details,
        .options = options,
        .least = 2,
        .most = 2,
        .choices = severity_output_choices,
        PLUGIN_PROGRAM,
    };
    return program_main_serial(&(struct program_main){&program, severity_output_check, run}, argc,
                               argv);
}
