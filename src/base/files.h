/* Files and directories. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <stdbool.h>

/* Removes a file, or a directory with all it holds. True if nothing of that name is left.
 * Async-signal-safe: a signal handler may clean up with it. */
bool files_remove_tree(const char *path);

#endif
