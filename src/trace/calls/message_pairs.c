#include "trace/calls/message_pairs.h"

#include "base/map.h"
#include "base/sort.h"

#include <stdlib.h>

/* The pair of two ranks; NULL when memory is out. `places`: of the pairs in the list. */
static struct message_pair *message_pair_of(struct message_pairs *pairs, struct map *places,
                                            uint32_t from, uint32_t to)
{
    uint32_t *place = map_at(places, (uint64_t)from << 32 | to, (uint32_t)pairs->count);
    if (!place || (*place == pairs->count &&
                   !array_push(pairs, ((struct message_pair){.from = from, .to = to}))))
        return NULL;
    return &pairs->items[*place];
}

static bool add_sent_messages(const struct stream *stream, struct map *places,
                              struct message_pairs *pairs)
{
    for (uint32_t m = 0; m < stream->message_count; m++) {
        const struct message *message = &stream->messages[m];
        if (!message_takes_part(message) || !(message->flags & MESSAGE_SEND))
            continue;
        struct message_pair *pair =
            message_pair_of(pairs, places, stream->rank, message->partner_rank);
        if (!pair)
            return false;
        pair->messages++;
        pair->bytes += message->bytes;
    }
    return true;
}

static bool add_transfer(struct message_pairs *pairs, struct map *places, uint32_t from,
                         uint32_t to, uint64_t bytes)
{
    struct message_pair *pair = message_pair_of(pairs, places, from, to);
    if (!pair)
        return false;
    pair->transfers++;
    pair->transferred_bytes += bytes;
    return true;
}

static bool add_one_sided(const struct definitions *definitions, const struct stream *stream,
                          struct map *places, struct message_pairs *pairs)
{
    bool room = true;
    for (uint32_t o = 0; o < stream->rma_op_count && room; o++) {
        const struct rma_op *op = &stream->rma_ops[o];
        if (!window_takes_part(definitions, op->window))
            continue;
        uint32_t target = comm_world_rank(definitions, definitions->windows[op->window].comm,
                                          stream->rank, op->target);
        if (op->kind != RMA_GET)
            room = add_transfer(pairs, places, stream->rank, target, op->sent);
        if (op->kind == RMA_GET || op->received > 0)
            room = room && add_transfer(pairs, places, target, stream->rank, op->received);
    }
    return room;
}

bool message_pairs_add(const struct trace *trace, struct message_pairs *pairs)
{
    bool room = true;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        const struct stream *stream = &trace->streams[s];
        struct map places = {0};
        room = add_sent_messages(stream, &places, pairs) &&
               add_one_sided(trace->definitions, stream, &places, pairs);
        map_clear(&places);
    }
    return room;
}

ORDER_BY(compare_pairs, struct message_pair, ASCENDING(from) ?: ASCENDING(to))

void message_pairs_merge(struct message_pairs *pairs)
{
    size_t kept = 0;
    if (pairs->count == 0)
        return;
    qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_pairs);
    for (size_t i = 1; i < pairs->count; i++) {
        struct message_pair *last = &pairs->items[kept], *pair = &pairs->items[i];
        if (compare_pairs(last, pair) != 0) {
            pairs->items[++kept] = *pair;
            continue;
        }
        last->messages += pair->messages;
        last->bytes += pair->bytes;
        last->transfers += pair->transfers;
        last->transferred_bytes += pair->transferred_bytes;
    }
    pairs->count = kept + 1;
}
