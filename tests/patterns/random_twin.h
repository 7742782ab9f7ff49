/* Random programs on which the search in bulk and a literal twin must agree, on any number of
 * processes. */
#ifndef TESTS_PATTERNS_RANDOM_TWIN_H
#define TESTS_PATTERNS_RANDOM_TWIN_H

#include "severity/severity.h"

#include <stdbool.h>
#include <stdio.h>

struct random_twin {
    /* The program of a seed, as case_reader reads it. */
    void (*write)(unsigned seed, FILE *file);
    /* Process 0: whether the twin finds in the case at `path` what the search has found; prints
     * what differs. found[metric] counts values that are not zero. */
    bool (*agrees)(const char *path, const struct severity *severity, unsigned seed, int *found);
    /* The metrics that must have been found often enough to tell. */
    bool (*must_occur)(const char *metric);
    unsigned seeds;
};

/* A test program's main. */
int random_twin_main(int argc, char **argv, const struct random_twin *twin);

#endif
