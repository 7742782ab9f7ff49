/* The MPI calls that a replay makes, caught by name interposition. */
#ifndef TESTS_REPLAY_CAUGHT_CALLS_H
#define TESTS_REPLAY_CAUGHT_CALLS_H

#include <stdbool.h>

/* Calls are noted from now on, or no longer. */
void caught_calls_catch(bool on);

/* Prints the caught calls, one line each. Tests and probes in a row count once. */
void caught_calls_print(int rank);

/* How many communicators have been created so far. */
int caught_calls_communicators(void);

#endif
