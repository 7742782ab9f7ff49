/* Files and directories. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include "base/array.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Appends a file's contents to `bytes`. Fails with STATUS_INPUT if it cannot be read or is larger
 * than `largest` bytes. The caller clears `bytes` in any case. */
enum status files_read(const char *path, size_t largest, struct bytes *bytes, struct error *error);

/* The same for the rest of an open file that `name` stands for. */
enum status files_read_stream(FILE *file, const char *name, size_t largest, struct bytes *bytes,
                              struct error *error);

/* The error number of the failure that a stream has met, which is still open. A write in between
 * may have succeeded and `errno` be of something else, so if `errno` is 0 the stream is asked
 * again. */
int files_stream_failure(FILE *stream);

/* Removes a file, or a directory with its contents. True if nothing of that name is left.
 * Async-signal-safe. */
bool files_remove_tree(const char *path);

/* Whether the user sees what is written there. Open MPI's launcher gives its processes a terminal
 * of its own as standard output, wherever the job's goes: that is none. */
bool files_is_terminal(int descriptor);

#endif
