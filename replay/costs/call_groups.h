/* Calls that probably cost the same: those of one call path whose largest message, or collective
 * operation, has about the same size (within a factor of 4). A program may send small and large
 * messages from one place. */
#ifndef REPLAY_COSTS_CALL_GROUPS_H
#define REPLAY_COSTS_CALL_GROUPS_H

#include "trace/trace.h"

enum { CALL_SIZES = 12 }; /* of each call path; the last one is for 1 MiB and more */

/* path * CALL_SIZES + size class, for a call from row `enter` to row `leave`. */
size_t call_group(const struct stream *stream, uint32_t path, uint32_t enter, uint32_t leave);

/* values[path_count * CALL_SIZES]: groups with the value `unknown` get the value of the nearest
 * size of their call path, or `otherwise` if there is none. */
void call_groups_fill(int64_t *values, size_t path_count, int64_t unknown, int64_t otherwise);

#endif
