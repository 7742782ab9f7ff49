/* An output directory that appears complete or not at all: it is filled under a temporary name in
 * the same folder and renamed at the end. If the program is interrupted or ends before that, the
 * temporary directory is removed. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/status.h"

#include <stdbool.h>

struct output;

/* Makes the temporary directory. Fails with STATUS_INPUT if `path` exists and `overwrite` is false,
 * or if it holds a name that matches none of the NULL-terminated list of patterns `own`: then it is
 * not a former output, and overwriting would destroy other files. `remedy` ends the message for a
 * path that exists, ", or say ..."; "": nothing else helps. Fails with STATUS_ENVIRONMENT if it
 * cannot be written. One output at a time. */
enum status output_open(const char *path, bool overwrite, const char *remedy,
                        const char *const *own, struct output **output, struct error *error);

/* The temporary directory, to write into. */
const char *output_directory(const struct output *output);

/* Writes the path of an entry of a directory into `path`, which has PATH_MAX bytes. Fails
 * with STATUS_INPUT if the path is longer. */
enum status output_path(const char *directory, const char *name, char *path, struct error *error);

/* Moves the directory to its place and then removes a former output. Closes the output in any case.
 * Fails with STATUS_INPUT if another program has made a file or directory of that name meanwhile:
 * then the temporary directory stays, and the message names it. NULL is allowed. */
enum status output_commit(struct output *output, struct error *error);
/* Removes the temporary directory. NULL is allowed. */
void output_discard(struct output *output);

#endif
