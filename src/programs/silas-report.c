/* silas-report: shows a stored result, or turns it into another format. */
#include "base/log.h"
#include "programs/severity_output.h"

static const char *format_name, *output_path;

static const struct option_spec options[] = {
    SEVERITY_OUTPUT_OPTIONS(&format_name, &output_path),
    {0},
};

static const struct program program = {
    .name = "silas-report",
    .summary = "Shows the result of silas-analyze, Scalasca or Score-P, or turns it into another "
               "format.",
    .usage = "silas-report [options] FILE",
    .details = "FILE is a severity file: tsv, json or cubex, gzipped or not.",
    .options = options,
    .least = 1,
    .most = 1,
};

int main(int argc, char **argv)
{
    int exit_code;
    struct severity *severity;
    struct error error = {STATUS_OK, ""};
    log_open(program.name, true);
    int operand = options_parse(&program, argc, argv, &exit_code);
    if (operand < 0)
        return exit_code;
    const struct severity_format *format =
        severity_output_format(&program, format_name, output_path, &exit_code);
    if (!format)
        return exit_code;
    enum status status = severity_read(argv[operand], &severity, &error);
    if (status == STATUS_OK)
        status = severity_write(severity, format, output_path, &error);
    severity_destroy(severity);
    return status == STATUS_OK ? 0 : log_error(&error);
}
