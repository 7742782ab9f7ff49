/* Matching (doc/methods.md, section 3): pairs the ends of messages, joins collective operations
 * into instances. Once, in bulk, before anything else needs it. */
#ifndef TRACE_MATCH_H
#define TRACE_MATCH_H

#include "trace/match/mismatches.h"

/* Collective. Fills partner of every message, instance of every collective and partners of every
 * call that synchronises with a group of a window. What cannot be
 * matched is listed; then the trace is not `matched`, and STATUS_INPUT is returned with an error
 * that quotes the first few and counts the rest. `mismatches` may be NULL. Unfinished requests that
 * nobody waits for are dropped with a warning (MESSAGE_CUT), and so is what has no other side
 * because the program was cut short (collective operations: no instance). Matching again (after a
 * transformation) is allowed. */
enum status trace_match(struct trace *trace, struct mismatches *mismatches, struct error *error);

#endif
