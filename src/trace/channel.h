/* What the order of messages and of collective operations is kept on: a channel is a sender, a
 * receiver, a communicator and a tag; or a communicator whose members make operations. */
#ifndef TRACE_CHANNEL_H
#define TRACE_CHANNEL_H

#include "base/map.h"
#include "trace/trace.h"

static inline uint64_t channel_hash(uint64_t a, uint64_t b, uint64_t comm, uint64_t tag)
{
    return map_mix(map_mix(map_mix(a + 1) ^ b) ^ comm) ^ map_mix(tag + 1);
}

/* The same for both ends of a message, whose partner must be known. */
static inline uint64_t channel_of_message(const struct stream *stream,
                                          const struct message *message)
{
    const bool sends = message->flags & MESSAGE_SEND;
    const uint32_t other = message->partner_rank;
    return channel_hash(sends ? stream->rank : other, sends ? other : stream->rank, message->comm,
                        message->tag);
}

/* The same for all members of an operation. */
static inline uint64_t channel_of_operation(const struct collective *collective)
{
    return channel_hash(UINT64_MAX, 0, collective->comm, 0);
}

/* Of a slice of a trace: how many messages and operations of the channel are before it. */
static inline uint32_t stream_dropped(const struct stream *stream, uint64_t channel)
{
    const uint32_t count = stream->dropped ? map_get(stream->dropped, channel) : MAP_NONE;
    return count != MAP_NONE ? count : 0;
}

#endif
