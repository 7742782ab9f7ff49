/* One text file that all processes of a job write, in the order of the processes. Process 0 writes
 * it under a temporary name, and renames it when it is complete; the others send it their output, a
 * megabyte at a time, so no process holds its part in memory. */
#ifndef BASE_MPI_JOB_TEXT_H
#define BASE_MPI_JOB_TEXT_H

#include "base/mpi/processes.h"

#include <stdio.h>

struct job_text;

/* Collective. `path` NULL or "-": standard output. Fails with STATUS_ENVIRONMENT. */
enum status job_text_open(const struct processes *processes, const char *path,
                          struct job_text **text, struct error *error);

/* The stream for this process's part. Writing to it may block until the parts of lower processes
 * are complete, so do nothing collective before job_text_close. */
FILE *job_text_stream(struct job_text *text);

/* Collective. Later output of any process follows all output so far. */
void job_text_next(struct job_text *text);

/* Collective. `status`: whether this process could make its part. The file appears only if all
 * could, and if it was written. Frees `text`. */
enum status job_text_close(struct job_text *text, enum status status, struct error *error);

#endif
