/* The pre-flight check: could a replay of the trace's operations hang? It ignores time
 * (doc/methods.md, section 3). */
#ifndef TRACE_PREFLIGHT_H
#define TRACE_PREFLIGHT_H

#include "trace/trace.h"

/* Collective; the trace must be matched. Fails with STATUS_INPUT if the operations deadlock even
 * though standard sends complete locally; the error names a cycle of waiting ranks. If the
 * operations complete only because MPI buffers sends, succeeds with a warning that names such a
 * cycle and the size of the largest message that must be buffered. MPI does not define whether
 * scans, and members of rooted operations that only send, wait for other members; this check
 * assumes that they do not. */
enum status trace_preflight(const struct trace *trace, struct error *error);

#endif
