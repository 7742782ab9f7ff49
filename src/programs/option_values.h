/* The values of options: numbers, times and choices. Each function returns 0, or the exit code of a
 * usage error, whose message names the option and the expected values. If `text` is NULL, the
 * option was not given, and nothing changes. */
#ifndef PROGRAMS_OPTION_VALUES_H
#define PROGRAMS_OPTION_VALUES_H

#include "base/options.h"

#include <stdbool.h>
#include <stdint.h>

/* A whole number from `least` to `most`. */
int option_whole(const struct program *program, const char *option, const char *text,
                 uint64_t least, uint64_t most, uint64_t *number);

/* A time in seconds, above 0 or, if `may_be_zero`, not below it. */
int option_seconds(const struct program *program, const char *option, const char *text,
                   bool may_be_zero, double *seconds);

/* One of these names, NULL at the end. `*choice` gets its number. */
int option_choice(const struct program *program, const char *option, const char *text,
                  const char *const *names, int *choice);

#endif
