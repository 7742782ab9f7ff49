/* Fetching a stream's tables into the caches before a loop over all streams comes to them: each
 * stream has memory of its own, which processors do not guess. */
#ifndef TRACE_AHEAD_H
#define TRACE_AHEAD_H

#include "base/prefetch.h"
#include "trace/trace.h"

/* Begins to fetch the messages of the owned stream after `s`, if there is one. */
static inline void next_messages_ahead(const struct trace *trace, uint32_t s)
{
    const struct stream *next = &trace->streams[s] + 1;
    if (s + 1 < trace->owned_count)
        prefetch_block(next->messages, next->message_count * sizeof *next->messages);
}

/* The same for its collective operations. */
static inline void next_collectives_ahead(const struct trace *trace, uint32_t s)
{
    const struct stream *next = &trace->streams[s] + 1;
    if (s + 1 < trace->owned_count)
        prefetch_block(next->collectives, next->collective_count * sizeof *next->collectives);
}

/* Begins to fetch where a stream's events have call paths: their kinds and arguments. */
static inline void call_paths_ahead(const struct stream *stream)
{
    prefetch_block(stream->kind, stream->count * sizeof *stream->kind);
    prefetch_block(stream->arg, stream->count * sizeof *stream->arg);
}

/* The same for the events of the owned stream after `s`. */
static inline void next_events_ahead(const struct trace *trace, uint32_t s)
{
    const struct stream *next = &trace->streams[s] + 1;
    if (s + 1 == trace->owned_count)
        return;
    prefetch_block(next->time, next->count * sizeof *next->time);
    call_paths_ahead(next);
}

#endif
