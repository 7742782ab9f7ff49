/* Matching (doc/methods.md, section 3): finds both ends of messages, and all members of collective
 * operations (instances), once for the whole trace. */
#ifndef TRACE_MATCH_H
#define TRACE_MATCH_H

#include "trace/trace.h"

/* Collective. Sets `partner` of every message, `instance` of every collective operation and
 * `partners` of every call that synchronises with the group of a window. What a recording lacks is
 * left out with a warning that counts it and quotes the first few: messages without a counterpart
 * and unfinished requests that no rank waits for (MESSAGE_CUT), and collective operations in which
 * not all members take part, or from which on the members of the communicator disagree (they get no
 * instance). In a trace that was built (definitions.built) or transformed, and for windows, these
 * are errors: the trace is not `matched` afterwards, and the result is STATUS_INPUT. May be called
 * again after a transformation. */
enum status trace_match(struct trace *trace, struct error *error);

#endif
