#include "transform/rewrite_times.h"

#include <string.h>

uint64_t rewrite_time(const uint64_t *old, const uint64_t *new, uint32_t count, uint64_t time,
                      uint32_t *row)
{
    if (count == 0)
        return time;
    if (old[*row] > time)
        *row = 0;
    while (*row + 1 < count && old[*row + 1] <= time)
        ++*row;
    uint32_t r = *row;
    if (time < old[r] || r + 1 == count)
        return time - old[r] + new[r]; /* outside: modulo 2^64, so earlier works too */
    unsigned __int128 span = new[r + 1] - new[r];
    return new[r] + (uint64_t)(span * (time - old[r]) / (old[r + 1] - old[r]));
}

void rewrite_times(struct trace *trace, struct stream *stream, const uint64_t *times)
{
    uint32_t row = 0;
    for (uint32_t f = 0; f < stream->flush_count; f++)
        stream->flushes[f] =
            rewrite_time(stream->time, times, stream->count, stream->flushes[f], &row);
    for (uint32_t c = 0; c < trace->carried_count; c++) {
        struct stream *carried = &trace->carried[c];
        if (carried->rank != stream->rank)
            continue;
        row = 0;
        for (uint32_t i = 0; i < carried->count; i++)
            carried->time[i] =
                rewrite_time(stream->time, times, stream->count, carried->time[i], &row);
        for (uint32_t f = 0; f < carried->flush_count; f++)
            carried->flushes[f] =
                rewrite_time(stream->time, times, stream->count, carried->flushes[f], &row);
    }
    memcpy(stream->time, times, stream->count * sizeof *times);
}
