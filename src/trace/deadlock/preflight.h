/* Would the operations of a trace run to their end? Checked without regard to time, before a replay
 * starts that could hang (doc/methods.md, section 3). */
#ifndef TRACE_PREFLIGHT_H
#define TRACE_PREFLIGHT_H

#include "trace/trace.h"

/* Collective; the trace must be matched. Fails with STATUS_INPUT, naming the cycle of waiting
 * ranks, if the operations deadlock even though standard sends complete locally. If they run only
 * because sends are buffered, warns with a cycle and the largest message that must be buffered for
 * the program to run, and succeeds. MPI leaves it open whether scans and the members of rooted
 * operations that only give wait for others: here they do not. */
enum status trace_preflight(const struct trace *trace, struct error *error);

#endif
