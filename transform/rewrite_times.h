/* Gives a rank's events new times, and what hangs on them: flushes and carried locations. */
#ifndef TRANSFORM_REWRITE_TIMES_H
#define TRANSFORM_REWRITE_TIMES_H

#include "trace/trace.h"

/* `times` holds the new time of every row of the stream, in ascending order. What lies between two
 * rows moves in proportion; what lies outside is shifted. The stream is one of `trace`, which owns
 * its time columns and those of its carried locations (hypotheses_apply sees to that). */
void rewrite_times(struct trace *trace, struct stream *stream, const uint64_t *times);

/* Where time `time` of the old column goes; `*row` is a hint, the row found last. */
uint64_t rewrite_time(const uint64_t *old, const uint64_t *new, uint32_t count, uint64_t time,
                      uint32_t *row);

#endif
