/* The output directory of a parallel job (output.h): process 0 makes it and moves it to its place,
 * all write into it. It appears complete or not at all, also if the job is interrupted. */
#ifndef BASE_MPI_JOB_OUTPUT_H
#define BASE_MPI_JOB_OUTPUT_H

#include "base/mpi/processes.h"
#include "base/output.h"

#include <limits.h>

struct job_output {
    const struct processes *processes;
    struct output *output;    /* on process 0 */
    char directory[PATH_MAX]; /* the temporary directory, to write into */
};

/* Collective. Makes the temporary directory; arguments and failures are those of output_open. On
 * failure there is nothing to discard. */
enum status job_output_open(const struct processes *processes, const char *path, bool overwrite,
                            const char *remedy, const char *const *own, struct job_output *output,
                            struct error *error);

/* Collective. Moves the directory to its place and closes the output, also on failure. */
enum status job_output_commit(struct job_output *output, struct error *error);

/* Removes the temporary directory. Does nothing if `output` is all zero or closed. */
void job_output_discard(struct job_output *output);

#endif
