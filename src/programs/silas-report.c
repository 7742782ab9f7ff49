/* silas-report: shows a stored result or converts it to another format. */
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "programs/severity_output.h"

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    struct severity *severity;
    (void)processes;
    enum status status = report_read(operands[0], &severity, error);
    if (status == STATUS_OK)
        status = severity_output_write(&(struct report){.run = severity}, error);
    severity_destroy(severity);
    return status;
}

int main(int argc, char **argv)
{
    char names[REPORT_FORMAT_NAMES], details[REPORT_FORMAT_NAMES + 64];
    snprintf(details, sizeof details, "FILE is a severity file: %s, gzipped or not.",
             report_format_names(true, names));
    const struct option_spec options[] = {SEVERITY_OUTPUT_OPTIONS, PLUGIN_OPTION, {0}};
    const struct program program = {
        .name = "silas-report",
        .summary = "Shows the result of silas-analyze, Scalasca or Score-P, or turns it into "
                   "another format.",
        .usage = "silas-report [options] FILE",
        .details = details,
        .options = options,
        .least = 1,
        .most = 1,
        .choices = severity_output_choices,
        PLUGIN_PROGRAM,
    };
    return program_main_serial(&(struct program_main){&program, severity_output_check, run}, argc,
                               argv);
}
