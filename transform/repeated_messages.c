#include "transform/repeated_messages.h"

#include "base/map.h"

/* Whether the row ends a series of sends: the rank may receive data or be synchronised here, or
 * enters or leaves a region of the program. */
static bool ends_series(const struct trace *trace, const struct stream *stream, uint32_t row)
{
    enum event_kind kind = stream->kind[row];
    switch (kind) {
    case EVENT_SEND:
    case EVENT_ISEND:
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV_REQUEST:
        return false;
    default:
        break;
    }
    if (event_closes(kind)) {
        row = stream->arg[row];
        if (row == INDEX_NONE)
            return true;
    } else if (!event_opens(kind)) {
        return true;
    }
    return callpath_call(trace, stream->arg[row]) == MPI_CALL_NONE;
}

/* A series of sends: by receiver, communicator and tag, the message that was sent last. */
struct sends {
    struct map pairs; /* receiver and communicator: a number */
    struct map last;  /* this number and the tag: the message */
    bool used;
};

/* Adds a send, and marks the send before it that is repeated by it. */
static bool count_send(struct sends *sends, const struct message *message, uint32_t number,
                       bool *repeated)
{
    uint64_t pair = (uint64_t)message->partner_rank << 32 | message->comm;
    uint32_t *id = map_at(&sends->pairs, pair, (uint32_t)sends->pairs.count);
    if (!id)
        return false;
    uint64_t key = (uint64_t)*id << 32 | (uint32_t)message->tag;
    uint32_t former = map_get(&sends->last, key);
    if (former != MAP_NONE)
        repeated[former] = true;
    sends->used = true;
    return map_set(&sends->last, key, number);
}

bool repeated_messages_mark(const struct trace *trace, const struct stream *stream, bool *repeated)
{
    struct sends sends = {0};
    bool allocated = true;
    for (uint32_t row = 0; row < stream->count && allocated; row++) {
        enum event_kind kind = stream->kind[row];
        if (kind == EVENT_SEND || kind == EVENT_ISEND) {
            const struct message *message = &stream->messages[stream->arg[row]];
            if (message_takes_part(message))
                allocated = count_send(&sends, message, stream->arg[row], repeated);
        } else if (sends.used && ends_series(trace, stream, row)) {
            map_clear(&sends.pairs);
            map_clear(&sends.last);
            sends.used = false;
        }
    }
    map_clear(&sends.pairs);
    map_clear(&sends.last);
    return allocated;
}
