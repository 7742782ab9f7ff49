/* The pre-flight check: would the operations of a trace run to their end? Made without regard to
 * time, before a replay that could hang (doc/methods.md, section 3). */
#ifndef TRACE_PREFLIGHT_H
#define TRACE_PREFLIGHT_H

#include "trace/trace.h"

/* Collective; the trace must be matched. Fails with STATUS_INPUT, naming the cycle of waiting
 * ranks, if the operations deadlock even though standard sends complete locally. If they run only
 * because sends are buffered, succeeds with a warning that names a cycle and the largest message
 * that must be buffered. MPI does not define whether scans, and members of rooted operations that
 * only send, wait for others: here they do not. */
enum status trace_preflight(const struct trace *trace, struct error *error);

#endif
