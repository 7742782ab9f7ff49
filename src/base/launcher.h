/* Starting MPI jobs from a program of ours: the launcher's command line, words of a shell, and a
 * shell that runs a line. Not collective: for programs with one process. */
#ifndef BASE_LAUNCHER_H
#define BASE_LAUNCHER_H

#include "base/array.h"
#include "base/status.h"

#include <stdint.h>

/* Appends a word of a shell's command line, in single quotes if need be. False when memory is out.
 */
bool shell_put_word(struct bytes *line, const char *word);

/* Runs a line of /bin/sh and waits for it. Sets `*result` as waitpid does. The line gets SIGTERM if
 * this process ends, and does not see the variables by which a launcher has started this process:
 * otherwise a job would take itself for a part of that one. Fails with STATUS_ENVIRONMENT if no
 * process can be started. */
enum status shell_run(const char *line, int *result, struct error *error);

/* How a job of `shell_run` has ended, for messages: "ended with exit code 1". Valid until the next
 * call. */
const char *shell_ending(int result);

/* Fails with STATUS_ENVIRONMENT if there is no launcher of MPI programs: `launcher` is NULL, the
 * environment has no MPIEXEC, and PATH has none that we know. */
enum status launcher_check(const char *launcher, struct error *error);

/* Appends the command that starts `ranks` processes. `launcher`: a command with {ranks} in
 * it, or without, then -np comes behind it; NULL: the environment's MPIEXEC, or the launcher that
 * is found (see launcher_check, which must have succeeded). False when memory is out. */
bool launcher_put(struct bytes *line, const char *launcher, uint32_t ranks);

#endif
