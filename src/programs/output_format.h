/* The options --format and --output of programs whose results are not severities. */
#ifndef PROGRAMS_OUTPUT_FORMAT_H
#define PROGRAMS_OUTPUT_FORMAT_H

#include "base/options.h"

/* Chooses among the formats `names` (NULL at the end): the one that --format names or, if `name` is
 * NULL, the one by which the name of the output ends, or otherwise the first. `*choice` gets its
 * number. Returns 0, or the exit code of a usage error for an unknown format. */
int output_format_choose(const struct program *program, const char *name, const char *path,
                         const char *const *names, int *choice);

#endif
