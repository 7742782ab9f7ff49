/* Random programs with all kinds of collective operations and messages between computation of
 * random length, as case_reader reads them. */
#ifndef TESTS_PATTERNS_RANDOM_COLLECTIVES_H
#define TESTS_PATTERNS_RANDOM_COLLECTIVES_H

#include <stdio.h>

void random_collectives_write(unsigned seed, FILE *file);

#endif
