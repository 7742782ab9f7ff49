#include "transform/rewrite_times.h"

#include "trace/warp.h"

#include <string.h>

void rewrite_times(struct trace *trace, struct stream *stream, const uint64_t *times)
{
    warp_times(stream->time, times, stream->count, stream->flushes, stream->flush_count);
    for (uint32_t c = 0; c < trace->carried_count; c++) {
        struct stream *carried = &trace->carried[c];
        if (carried->rank != stream->rank)
            continue;
        warp_times(stream->time, times, stream->count, carried->time, carried->count);
        warp_times(stream->time, times, stream->count, carried->flushes, carried->flush_count);
    }
    if (stream->count > 0)
        memcpy(stream->time, times, stream->count * sizeof *times);
}
