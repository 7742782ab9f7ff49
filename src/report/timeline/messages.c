#include "report/timeline/messages.h"

#include <stdlib.h>
#include <string.h>

static bool counts(const struct message *message)
{
    return message->flags & MESSAGE_SEND && message->partner != INDEX_NONE &&
           !(message->flags & (MESSAGE_CUT | MESSAGE_CANCELLED));
}

/* Collective. before[rank]: messages sent by lower ranks; the last is their total. */
static void number_messages(const struct trace *trace, int64_t *before)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        for (uint32_t m = 0; m < stream->message_count; m++)
            before[stream->rank + 1] += counts(&stream->messages[m]);
    }
    processes_sum(trace->processes, before, trace->rank_count + 1ul);
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        before[rank + 1] += before[rank];
}

/* What this process's ranks have sent, to the owners of the receivers. */
static bool send_halves(const struct trace *trace, const bool *shown, int64_t stride,
                        const int64_t *before, struct outbox *outbox)
{
    bool room = true;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        const struct stream *stream = &trace->streams[s];
        int64_t number = before[stream->rank];
        for (uint32_t m = 0; m < stream->message_count && room; m++) {
            const struct message *message = &stream->messages[m];
            if (!counts(message) || number++ % stride != 0 || !shown[stream->rank] ||
                !shown[message->partner_rank])
                continue;
            struct timeline_message half = {
                .sent = timeline_time(trace, stream, message->post),
                .bytes = message->bytes,
                .from = stream->rank,
                .to = message->partner_rank,
                .index = m,
                .partner = message->partner,
            };
            room = outbox_put(&outbox[trace_owner(trace, half.to)], &half, sizeof half);
        }
    }
    return room;
}

/* Adds when they were received; leaves out those that never were. Returns how many remain. */
static size_t complete_halves(const struct trace *trace, struct timeline_message *messages,
                              size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct stream *stream = trace_stream(trace, messages[i].to);
        const struct message *receive = &stream->messages[messages[i].partner];
        if (receive->completion == INDEX_NONE)
            continue;
        messages[kept] = messages[i];
        messages[kept++].received = timeline_time(trace, stream, receive->completion);
    }
    return kept;
}

static int by_sender(const void *a, const void *b)
{
    const struct timeline_message *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

enum status timeline_messages_gather(const struct trace *trace, const bool *shown,
                                     struct timeline_messages *messages, struct error *error)
{
    const struct processes *processes = trace->processes;
    int64_t *before = calloc(trace->rank_count + 1ul, sizeof *before);
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    char *received = NULL, *all = NULL;
    size_t size = 0, all_size = 0;
    bool room = before && outbox;
    memset(messages, 0, sizeof *messages);
    enum status status =
        processes_agree(processes, room ? STATUS_OK : error_memory(error, "the time line"), error);
    if (status == STATUS_OK) {
        number_messages(trace, before);
        messages->total = before[trace->rank_count];
        messages->stride = (messages->total + TIMELINE_MESSAGES - 1) / TIMELINE_MESSAGES;
        if (messages->stride == 0)
            messages->stride = 1;
        room = send_halves(trace, shown, messages->stride, before, outbox);
        status = processes_exchange_filled(processes, outbox, room, "the time line", &received,
                                           &size, error);
    }
    if (status == STATUS_OK) {
        size_t count = complete_halves(trace, (struct timeline_message *)(void *)received,
                                       size / sizeof(struct timeline_message));
        status = processes_gather(processes, received, count * sizeof(struct timeline_message),
                                  &all, &all_size, NULL, error);
    }
    if (status == STATUS_OK && all) {
        messages->items = (struct timeline_message *)(void *)all;
        messages->count = all_size / sizeof *messages->items;
        qsort(messages->items, messages->count, sizeof *messages->items, by_sender);
    }
    free(received);
    free(outbox);
    free(before);
    return status;
}
