/* silas-trace: from its command line to the program that is traced. */
#ifndef MEASURE_LAUNCH_H
#define MEASURE_LAUNCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch_options {
    const char *output;  /* folder, as given or made up */
    const char *recover; /* --recover: this folder, and no program is run */
    char *made_up;
    uint64_t buffer; /* bytes, 0: the default */
    const char *filter;
    bool estimate, overwrite;
    bool first_rank, first_on_host; /* who of all launchers speaks */
    char **program;                 /* argv of the program, NULL-terminated */
};

/* Reads the command line. False if the program must end now with `*exit_code`: after a usage error
 * (which has been said), --help and --version. */
bool launch_parse(int argc, char **argv, struct launch_options *options, int *exit_code);
void launch_free(struct launch_options *options);

/* Finds the program as execvp would, and refuses what cannot be traced. `path` receives where it
 * is.
 */
enum status launch_check_program(const char *program, char *path, size_t size, struct error *error);

/* Warns if the program wants calls of MPI that are newer than those the tracer records. */
void launch_warn_newer(const char *path);

/* Makes the output folder, and refuses one that holds an archive or a run that has not been
 * recovered, unless --overwrite. `path` receives its absolute name. */
enum status launch_prepare_directory(const struct launch_options *options, char *path, size_t size,
                                     struct error *error);

/* Sets the environment of a traced process. */
enum status launch_set_environment(const struct launch_options *options, const char *directory,
                                   struct error *error);

/* Starts the keeper of this process, which goes on to be the program, and tells the program of it
 * in the environment. */
enum status launch_keeper(const struct launch_options *options, const char *directory,
                          struct error *error);

#endif
