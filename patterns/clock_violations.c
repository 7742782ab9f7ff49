/* Time stamps that cannot be: a message that is received before it is sent. Members of collective
 * operations that end before one they need has begun are counted where the operations are brought
 * together (instances.c). silas-analyze --correct-clocks puts them right. */
#include "patterns/pattern.h"

static void search_rank(const struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    for (uint32_t i = 0; i < stream->message_count; i++) {
        const struct message *message = &stream->messages[i];
        if (message->flags & MESSAGE_SEND || !message_is_matched(message) ||
            message->completion == INDEX_NONE || rank->completion_call[i] == CALL_NONE)
            continue;
        if ((int64_t)stream->time[message->completion] < rank->other[i].time)
            search_rank_add(rank, METRIC_CLOCK_VIOLATIONS, &rank->calls[rank->completion_call[i]],
                            1);
    }
}

const struct pattern clock_violations_pattern = {
    .name = "clock violations",
    .description = "messages that are received before they are sent",
    .search_rank = search_rank,
};
