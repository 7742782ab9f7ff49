/* Starting MPI jobs from our own programs: the launcher's command line, words of a shell, and a
 * shell that runs a line. Not collective: for programs with one process. */
#ifndef BASE_LAUNCHER_H
#define BASE_LAUNCHER_H

#include "base/array.h"
#include "base/status.h"

#include <stdint.h>

/* Appends a word to a shell's command line, in single quotes if it needs them. False when out of
 * memory. */
bool shell_put_word(struct bytes *line, const char *word);

/* Appends text as it is, in the format of printf. False when out of memory. */
bool shell_put(struct bytes *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs a line of /bin/sh and waits for it. Sets `*result` as waitpid does. The line gets SIGTERM if
 * this process ends. Its environment has none of the variables by which a launcher has started this
 * process: otherwise MPI in the job would join this one. Fails with STATUS_ENVIRONMENT if no
 * process can be started. */
enum status shell_run(const char *line, int *result, struct error *error);

/* How a job of `shell_run` has ended, for messages: "ended with exit code 1". Valid until the next
 * call. */
const char *shell_ending(int result);

/* Fails with STATUS_ENVIRONMENT if no launcher of MPI programs is found: `launcher` is NULL, the
 * environment has no MPIEXEC, and PATH has no known launcher. */
enum status launcher_check(const char *launcher, struct error *error);

/* Appends the command that starts `ranks` processes. `launcher`: a command, in which {ranks} is
 * replaced by the number; without {ranks}, -np and the number are appended. NULL: the environment's
 * MPIEXEC, or the launcher in PATH (launcher_check must have succeeded). False if out of memory. */
bool launcher_put(struct bytes *line, const char *launcher, uint32_t ranks);

#endif
