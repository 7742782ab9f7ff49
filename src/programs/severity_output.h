/* What silas-analyze, silas-report and silas-diff have in common: --format and --output. */
#ifndef PROGRAMS_SEVERITY_OUTPUT_H
#define PROGRAMS_SEVERITY_OUTPUT_H

#include "base/options.h"
#include "report/severity_format.h"

/* The two lines of their tables of options. */
#define SEVERITY_OUTPUT_OPTIONS(format, output)                                                \
    {'f',      "format", "FORMAT", "text, tsv, json or cubex; default: as FILE ends, or text", \
     (format), NULL},                                                                          \
    {                                                                                          \
        'o', "output", "FILE", "write to FILE instead of standard output", (output), NULL      \
    }

/* The format of this name; without one (NULL), that of the output's ending, `.json` and so on, or
 * text. NULL after a usage error, which is printed: there is none, or it would print bytes on a
 * terminal; `*exit_code` is set then. */
const struct severity_format *severity_output_format(const struct program *program,
                                                     const char *name, const char *output,
                                                     int *exit_code);

#endif
