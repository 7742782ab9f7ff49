/* The options --format and --output of silas-analyze, silas-report and silas-diff. */
#ifndef PROGRAMS_SEVERITY_OUTPUT_H
#define PROGRAMS_SEVERITY_OUTPUT_H

#include "base/options.h"
#include "report/format.h"

extern struct severity_output {
    const char *format_name, *path;     /* the options' arguments; NULL: not given */
    const struct report_format *format; /* chosen by severity_output_check */
} severity_output;

/* The two options, for a table of options. */
#define SEVERITY_OUTPUT_OPTIONS                                                                   \
    {'f', "format", "FORMAT", severity_output_help(), &severity_output.format_name, NULL},        \
    {                                                                                             \
        'o', "output", "FILE", "write to FILE instead of standard output", &severity_output.path, \
            NULL                                                                                  \
    }

/* The help of --format, which names all formats. */
const char *severity_output_help(void);

/* The function `choices` of struct program. */
const char *severity_output_choices(const char *option);

/* Chooses the format that --format names, or the one by which the output's name ends (`.json`), or
 * text. Returns 0, or the exit code of a usage error: an unknown format, or a binary one for a
 * terminal. */
int severity_output_check(const struct program *program);

/* Writes the report in the chosen format to the chosen output. Fails as report_write does. */
enum status severity_output_write(const struct report *report, struct error *error);

/* Collective. The same for a run of which each process has a part (report_write_together). */
enum status severity_output_write_together(struct severity **local,
                                           const struct processes *processes,
                                           const struct report_details *details,
                                           struct error *error);

#endif
