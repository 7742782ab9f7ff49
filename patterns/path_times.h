/* Time per call path on one rank between two rows, without waits: for computing delays. */
#ifndef PATTERNS_PATH_TIMES_H
#define PATTERNS_PATH_TIMES_H

#include "patterns/sync_points.h"

struct path_times {
    int64_t *ticks;    /* [path], all 0 where not touched */
    uint32_t *touched; /* paths, each once, in order of their first time */
    uint32_t touched_count;
    bool *is_touched; /* [path] */
};

/* False if out of memory; then nothing is left to free. */
bool path_times_open(struct path_times *times, uint32_t path_count);
void path_times_clear(struct path_times *times);

/* Empties it, in a time proportional to the number of touched paths. */
void path_times_reset(struct path_times *times);

/* Does nothing for CALLPATH_NONE. */
static inline void path_times_add(struct path_times *times, uint32_t path, int64_t ticks)
{
    if (path == CALLPATH_NONE || ticks == 0)
        return;
    if (!times->is_touched[path]) {
        times->is_touched[path] = true;
        times->touched[times->touched_count++] = path;
    }
    times->ticks[path] += ticks;
}

/* Adds the time until `end_row` from the LEAVE that belongs to `start_row` if that is an ENTER,
 * from `start_row` if it is another row, from the beginning of the trace if it is INDEX_NONE. */
void path_times_add_rows(struct path_times *times, const struct trace *trace,
                         const struct stream *stream, uint32_t start_row, uint32_t end_row);

/* The same between two rows; `start_row` is an ENTER. */
void path_times_add_inside(struct path_times *times, const struct trace *trace,
                           const struct stream *stream, uint32_t start_row, uint32_t end_row);

/* Subtracts the waits with these numbers, of the stream's rank. */
void path_times_remove_waits(struct path_times *times, const struct sync_points *points,
                             const struct stream *stream, uint32_t first, uint32_t last);

#endif
