/* Every matched message end tells its partner when it was posted. Ends of one process are joined
 * directly; the others travel in one exchange for the whole trace. */
#include "patterns/ends.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct end_record {
    uint32_t rank, message; /* whom it is for */
    struct other_end end;
};

/* False when memory is out. */
static bool send_ends(const struct trace *trace, struct search_rank *ranks,
                      const struct search_rank *from, struct outbox *outbox)
{
    const struct stream *stream = from->stream;
    for (uint32_t i = 0; i < stream->message_count; i++) {
        const struct message *message = &stream->messages[i];
        if (!message_is_matched(message) || from->post_call[i] == CALL_NONE)
            continue;
        struct end_record record = {.rank = message->partner_rank,
                                    .message = message->partner,
                                    .end.enter = from->calls[from->post_call[i]].enter,
                                    .end.time = (int64_t)stream->time[message->post]};
        uint32_t local = record.rank - trace->first_rank;
        if (local < trace->owned_count)
            ranks[local].other[record.message] = record.end;
        else if (!outbox_put(&outbox[trace_owner(trace, record.rank)], &record, sizeof record))
            return false;
    }
    return true;
}

enum status exchange_ends(const struct trace *trace, struct search_rank *ranks, struct error *error)
{
    const struct processes *processes = trace->processes;
    char *received = NULL;
    size_t size = 0;
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    bool filled = outbox != NULL;
    for (uint32_t i = 0; i < trace->owned_count && filled; i++)
        filled = send_ends(trace, ranks, &ranks[i], outbox);
    enum status status = processes_exchange_filled(
        processes, outbox, filled, "exchanging message ends", &received, &size, error);
    for (size_t at = 0; at < size; at += sizeof(struct end_record)) {
        struct end_record record;
        memcpy(&record, received + at, sizeof record);
        ranks[record.rank - trace->first_rank].other[record.message] = record.end;
    }
    free(received);
    free(outbox);
    memory_give_back();
    return status;
}
