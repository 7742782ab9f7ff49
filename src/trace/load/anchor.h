/* The anchor file: the small file by which an OTF2 archive is opened. */
#ifndef TRACE_ANCHOR_H
#define TRACE_ANCHOR_H

#include "base/status.h"

/* Finds the anchor file: `given` itself, or the only one in that directory. Compares the announced
 * number of properties with the file's length, because the library loops over a damaged count for
 * minutes. The caller frees `*path`, which is NULL after a failure. */
enum status anchor_find(const char *given, char **path, struct error *error);

#endif
