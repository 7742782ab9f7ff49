/* Would the operations of a trace run to their end? Checked without time, before a replay that
 * could hang is started (METHODS 3). */
#ifndef TRACE_PREFLIGHT_H
#define TRACE_PREFLIGHT_H

#include "trace/trace.h"

/* Collective; the trace must be matched. Fails with STATUS_INPUT, naming the cycle of waiting
 * ranks, if the operations deadlock even though standard sends complete locally. If they run only
 * because sends are buffered, warns with a cycle and the largest message that must be buffered for
 * the program to run, and succeeds. Where the time stamps themselves prove an order without a cycle
 * nothing further is done. */
enum status trace_preflight(const struct trace *trace, struct error *error);

#endif
