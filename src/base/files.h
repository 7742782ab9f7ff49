/* Files and directories. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <stdbool.h>

/* Removes a file, or a directory with its contents. True if nothing of that name is left.
 * Async-signal-safe. */
bool files_remove_tree(const char *path);

#endif
