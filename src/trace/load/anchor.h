/* The anchor file: the small file that an OTF2 archive is opened by. */
#ifndef TRACE_ANCHOR_H
#define TRACE_ANCHOR_H

#include "base/status.h"

/* The anchor file that `given` names: itself, or the only one in that directory. What it announces
 * is held against its length, because the library loops over a damaged count for minutes. Free
 * `*path`; NULL after a failure. */
enum status anchor_find(const char *given, char **path, struct error *error);

#endif
