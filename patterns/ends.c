/* Every matched message end tells its partner when it was posted. Ends of one process are joined
 * directly; the others travel in one exchange for the whole trace. */
#include "patterns/ends.h"

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
    enum status status = STATUS_OK;
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    if (!outbox)
        status = error_memory(error, "exchanging message ends");
    for (uint32_t i = 0; i < trace->owned_count && status == STATUS_OK; i++)
        if (!send_ends(trace, ranks, &ranks[i], outbox))
            status = error_memory(error, "exchanging message ends");
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = processes_exchange(processes, outbox, &received, &size, NULL, error);
    else if (outbox)
        outbox_clear(outbox, processes->size);
    for (size_t at = 0; at < size; at += sizeof(struct end_record)) {
        struct end_record record;
        memcpy(&record, received + at, sizeof record);
        ranks[record.rank - trace->first_rank].other[record.message] = record.end;
    }
    free(received);
    free(outbox);
    return status;
}
