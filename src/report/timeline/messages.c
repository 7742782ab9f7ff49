#include "report/timeline/timeline_private.h"

#include "base/sort.h"
#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool counts(const struct message *message)
{
    return message->flags & MESSAGE_SEND && message_takes_part(message);
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

/* What a send tells the owner of its receiver, which adds the time of receipt. */
struct posted_message {
    int64_t time;
    uint64_t bytes;
    uint32_t from, index;
};

struct message_gathering {
    const struct trace *trace;
    const bool *shown;
    int64_t stride;  /* every stride-th message is sent */
    int64_t *number; /* [rank] of its next message */
    ARRAY(struct timeline_message) complete;
    bool out_of_memory;
};

static bool tell_send(void *data, uint32_t s, uint32_t m, void *value)
{
    struct message_gathering *telling = data;
    const struct stream *stream = &telling->trace->streams[s];
    const struct message *message = &stream->messages[m];
    if (!(message->flags & MESSAGE_SEND) ||
        telling->number[stream->rank]++ % telling->stride != 0 || !telling->shown[stream->rank] ||
        !telling->shown[message->partner_rank])
        return false;
    *(struct posted_message *)value =
        (struct posted_message){.time = timeline_time(telling->trace, stream, message->post),
                                .bytes = message->bytes,
                                .from = stream->rank,
                                .index = m};
    return true;
}

/* Messages that were never received are left out. */
static void hear_send(void *data, uint32_t s, uint32_t m, const void *value)
{
    struct message_gathering *telling = data;
    const struct posted_message *sent = value;
    const struct stream *stream = &telling->trace->streams[s];
    const uint32_t completion = stream->messages[m].completion;
    if (completion == INDEX_NONE)
        return;
    const struct timeline_message message = {
        .sent = sent->time,
        .received = timeline_time(telling->trace, stream, completion),
        .bytes = sent->bytes,
        .from = sent->from,
        .to = stream->rank,
        .index = sent->index,
        .partner = m,
    };
    telling->out_of_memory |= !array_push(&telling->complete, message);
}

ORDER_BY(by_sender, struct timeline_message, ASCENDING(from) ?: ASCENDING(index))

/* Collective: finds the messages to show, at their receivers' owners. */
static enum status find_messages(struct message_gathering *telling, struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = "the time line",
                                                     .size = sizeof(struct posted_message),
                                                     .send = tell_send,
                                                     .receive = hear_send};
    enum status status = partners_exchange(telling->trace, true, &exchange, telling, error);
    if (status == STATUS_OK && telling->out_of_memory)
        status = error_memory(error, exchange.purpose);
    return processes_agree(telling->trace->processes, status, error);
}

enum status timeline_messages_gather(const struct trace *trace, const bool *shown,
                                     struct timeline_messages *messages, struct error *error)
{
    assert(shown);
    const struct processes *processes = trace->processes;
    struct message_gathering telling = {.trace = trace, .shown = shown};
    char *all = NULL;
    size_t size = 0;
    memset(messages, 0, sizeof *messages);
    telling.number = calloc(trace->rank_count + 1ul, sizeof *telling.number);
    enum status status = processes_agree_memory(processes, telling.number, "the time line", error);
    if (status == STATUS_OK) {
        number_messages(trace, telling.number);
        messages->total = telling.number[trace->rank_count];
        messages->stride = (messages->total + TIMELINE_MESSAGES - 1) / TIMELINE_MESSAGES;
        if (messages->stride == 0)
            messages->stride = 1;
        telling.stride = messages->stride;
        status = find_messages(&telling, error);
    }
    if (status == STATUS_OK)
        status = exchange_gather(processes, telling.complete.items,
                                 telling.complete.count * sizeof *telling.complete.items, &all,
                                 &size, NULL, error);
    if (status == STATUS_OK && all) {
        messages->items = (struct timeline_message *)(void *)all;
        messages->count = size / sizeof *messages->items;
        qsort(messages->items, messages->count, sizeof *messages->items, by_sender);
    }
    free(telling.complete.items);
    free(telling.number);
    return status;
}
