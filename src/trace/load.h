/* Loading an OTF2 archive of any tool and any version the OTF2 library reads. */
#ifndef TRACE_LOAD_H
#define TRACE_LOAD_H

#include "trace/trace.h"

/* Collective over `processes`, which stay the caller's and must outlive the trace. `path` names the
 * anchor file, or a directory with exactly one. Each process reads the ranks it will own.
 * On return `*trace` is complete but not matched. Regions left open are closed at the last time
 * stamp with a warning. Fails with one error, agreed upon by all processes, that names rank, event
 * and call path. trace_destroy frees it. */
enum status trace_load(const char *path, struct processes *processes, struct trace **trace,
                       struct error *error);

#endif
