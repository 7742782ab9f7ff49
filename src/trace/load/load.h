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

/* Not collective. How many ranks a trace has, from its definitions alone: the number of processes
 * its replay needs. */
enum status trace_peek(const char *path, uint32_t *rank_count, struct error *error);

#endif
