/* silas-diff: what differs between two results, in whatever formats they are stored. */
#include "base/log.h"
#include "programs/severity_output.h"
#include "report/report_file.h"
#include "report/text/changes.h"

#include <string.h>

static const char *format_name, *output_path;

static const struct option_spec options[] = {
    SEVERITY_OUTPUT_OPTIONS(&format_name, &output_path),
    {0},
};

static const struct program program = {
    .name = "silas-diff",
    .summary = "Compares two results of silas-analyze, Scalasca or Score-P.",
    .usage = "silas-diff [options] A B",
    .details = "A and B are severity files: tsv, json or cubex, gzipped or not, in any mix.\n"
               "Differences are B - A, value by value; what is missing in one counts as 0 there.",
    .options = options,
    .least = 2,
    .most = 2,
};

/* The table has both sides; files in a format hold the difference. */
static enum status compare(const struct severity *a, const struct severity *b,
                           const struct severity_format *format, struct error *error)
{
    if (strcmp(format->name, "text") == 0) {
        struct comparison comparison;
        enum status status = comparison_create(a, b, &comparison, error);
        if (status == STATUS_OK) {
            status = report_file_write(output_path, severity_changes_write, &comparison, error);
            comparison_destroy(&comparison);
        }
        return status;
    }
    struct severity *difference;
    enum status status = severity_difference(b, a, &difference, error);
    if (status == STATUS_OK)
        status = severity_write(difference, format, output_path, error);
    severity_destroy(difference);
    return status;
}

int main(int argc, char **argv)
{
    int exit_code;
    struct severity *a = NULL, *b = NULL;
    struct error error = {STATUS_OK, ""};
    log_open(program.name, true);
    int operand = options_parse(&program, argc, argv, &exit_code);
    if (operand < 0)
        return exit_code;
    const struct severity_format *format =
        severity_output_format(&program, format_name, output_path, &exit_code);
    if (!format)
        return exit_code;
    enum status status = severity_read(argv[operand], &a, &error);
    if (status == STATUS_OK)
        status = severity_read(argv[operand + 1], &b, &error);
    if (status == STATUS_OK)
        status = compare(a, b, format, &error);
    severity_destroy(a);
    severity_destroy(b);
    return status == STATUS_OK ? 0 : log_error(&error);
}
