/* Gives a rank's events new times, and what hangs on them: flushes and carried locations. */
#ifndef TRANSFORM_REWRITE_TIMES_H
#define TRANSFORM_REWRITE_TIMES_H

#include "trace/trace.h"

/* `times` holds the new time of every row of the stream, ascending. What lies between two rows
 * moves in proportion, what lies outside is shifted. The trace must own its time columns and flush
 * times, as the copy that hypotheses_apply makes does. */
void rewrite_times(struct trace *trace, struct stream *stream, const uint64_t *times);

#endif
