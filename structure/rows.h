/* Places in a stream. */
#ifndef STRUCTURE_ROWS_H
#define STRUCTURE_ROWS_H

#include "trace/trace.h"

/* The first row at or after a time (ticks); stream->count if there is none. */
static inline uint32_t stream_row_at(const struct stream *stream, uint64_t time)
{
    uint32_t low = 0, high = stream->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stream->time[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The innermost open call path after a row that enters or leaves a region. */
static inline uint32_t stream_path_entered(const struct trace *trace, const struct stream *stream,
                                           uint32_t row)
{
    uint32_t arg = stream->arg[row];
    return event_opens(stream->kind[row]) ? arg
                                          : trace->calltree.paths.items[stream->arg[arg]].parent;
}

/* The innermost open call path just before a row; CALLPATH_NONE if there is none. */
static inline uint32_t stream_path_before(const struct trace *trace, const struct stream *stream,
                                          uint32_t row)
{
    if (row == 0)
        return CALLPATH_NONE;
    return event_closes(stream->kind[row - 1]) ? stream_path_entered(trace, stream, row - 1)
                                               : stream_callpath_at(stream, row - 1);
}

#endif
