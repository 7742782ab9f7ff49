/* Matching (doc/methods.md, section 3): finds both ends of messages, and all members of collective
 * operations (instances), once for the whole trace. */
#ifndef TRACE_MATCH_H
#define TRACE_MATCH_H

#include "trace/trace.h"

/* Collective. Fills partner of every message, instance of every collective and partners of every
 * call that synchronises with a group of a window. If events cannot be matched, leaves the trace
 * not `matched`, and returns STATUS_INPUT with an error that quotes the first few and counts the
 * rest. Drops, with a warning, unfinished requests that no rank waits for (MESSAGE_CUT), and
 * communication without its other side if the program was cut short (collective operations get no
 * instance). May be repeated after a transformation. */
enum status trace_match(struct trace *trace, struct error *error);

#endif
