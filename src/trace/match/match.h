/* Matching (doc/methods.md, section 3): finds both ends of messages, and all members of collective
 * operations (instances), once for the whole trace. */
#ifndef TRACE_MATCH_H
#define TRACE_MATCH_H

#include "trace/trace.h"

/* Collective. Sets `partner` of every message, `instance` of every collective operation and
 * `partners` of every call that synchronises with the group of a window. If events cannot be
 * matched, the trace is not `matched` afterwards, and the result is STATUS_INPUT with an error that
 * quotes the first few and counts the rest. Two kinds of communication are dropped with a warning
 * instead: unfinished requests that no rank waits for (MESSAGE_CUT), and, if the program was cut
 * short, communication without a counterpart (collective operations get no instance). May be called
 * again after a transformation. */
enum status trace_match(struct trace *trace, struct error *error);

#endif
