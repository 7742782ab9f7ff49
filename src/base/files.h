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

/* The same for the rest of an open file; `name` is its name in messages. */
enum status files_read_stream(FILE *file, const char *name, size_t largest, struct bytes *bytes,
                              struct error *error);

/* The error number of a failed write to a stream that is still open. If `errno` is 0, because other
 * calls have succeeded since, writes again to find the error. */
int files_stream_failure(FILE *stream);

/* The last name of a path: "b" of "a/b", or the whole path if it ends with '/'. NULL of NULL. */
const char *files_base_name(const char *path);

/* Removes a file, or a directory with its contents. True if it does not exist any more.
 * Async-signal-safe. */
bool files_remove_tree(const char *path);

/* Writes the name of a new file into its folder on the disk. False if that fails; file systems that
 * cannot do it do not need it. */
bool files_flush_name(const char *path);

/* Whether the user sees output to this descriptor. False under Open MPI's launcher: its processes
 * always write to a pseudo terminal, wherever the output of the job goes. */
bool files_is_terminal(int descriptor);

/* True for devices, pipes and folders, which are written directly, if at all; a regular file is
 * replaced as a whole. */
bool files_is_special(const char *path);

/* True for a regular file that this user may execute. */
bool files_is_program(const char *path);

/* Looks for a program in a list of folders with colons between them, such as PATH. An empty one is
 * the present folder, as for execvp; NULL is the list of a process without PATH. Writes the path of
 * the program; false if there is none, or if the path is longer than `size`. */
bool files_find_program(const char *folders, const char *name, char *path, size_t size);

#endif
