/* One line of a filter: a pattern of names to exclude or, after "!", to include. The names of
 * OpenMP's constructs begin with "!$omp" or "omp_", so patterns for them exclude, too. */
#ifndef MEASURE_FILTER_RULE_H
#define MEASURE_FILTER_RULE_H

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

static inline bool filter_rule_is_of_construct(const char *line)
{
    return strncmp(line, "!$omp", 5) == 0 || strncmp(line, "omp_", 4) == 0;
}

/* The pattern of a line; `*excludes` is what it does. */
static inline const char *filter_rule_pattern(const char *line, bool *excludes)
{
    *excludes = line[0] != '!' || filter_rule_is_of_construct(line);
    return line + !*excludes;
}

/* A name matches itself, too: names of C++ contain characters that have a meaning in patterns. */
static inline bool filter_rule_matches(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

#endif
