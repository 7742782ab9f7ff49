/* Prefetching for loops over all streams. The tables of different streams are in different blocks
 * of memory, so the processor's prefetcher does not find the next stream. */
#ifndef TRACE_PREFETCH_H
#define TRACE_PREFETCH_H

#include "base/prefetch.h"
#include "trace/trace.h"

/* Prefetches the messages of the owned stream after `s`, if there is one. */
static inline void trace_prefetch_messages(const struct trace *trace, uint32_t s)
{
    const struct stream *next = &trace->streams[s] + 1;
    if (s + 1 < trace->owned_count)
        prefetch_block(next->messages, next->message_count * sizeof *next->messages);
}

/* Prefetches the collective operations of the owned stream after `s`. */
static inline void trace_prefetch_collectives(const struct trace *trace, uint32_t s)
{
    const struct stream *next = &trace->streams[s] + 1;
    if (s + 1 < trace->owned_count)
        prefetch_block(next->collectives, next->collective_count * sizeof *next->collectives);
}

/* Prefetches the kinds and arguments of a stream's events, which have their call paths. */
static inline void stream_prefetch_paths(const struct stream *stream)
{
    prefetch_block(stream->kind, stream->count * sizeof *stream->kind);
    prefetch_block(stream->arg, stream->count * sizeof *stream->arg);
}

/* Prefetches the events of the owned stream after `s`. */
static inline void trace_prefetch_events(const struct trace *trace, uint32_t s)
{
    const struct stream *next = &trace->streams[s] + 1;
    if (s + 1 == trace->owned_count)
        return;
    prefetch_block(next->time, next->count * sizeof *next->time);
    stream_prefetch_paths(next);
}

#endif
