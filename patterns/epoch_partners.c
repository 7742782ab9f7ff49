/* Exchanges the times of epochs with active targets between the ranks, once for the whole trace:
 * the time of MPI_Win_post goes to the ranks that start, that of MPI_Win_complete to the ranks that
 * wait, and that of the last operation before a fence to its target. */
#include "patterns/epochs.h"

#include "base/map.h"
#include "trace/exchange.h"

#include <stdlib.h>

enum message_kind { TO_SYNC, TO_FENCE };

struct epoch_message {
    int64_t enter, last_operation;
    uint32_t kind, rank;     /* the receiver */
    uint32_t place;          /* TO_SYNC: its sync; TO_FENCE: the window's own communicator */
    uint32_t from, instance; /* TO_SYNC: sender; TO_FENCE: the number of the fence */
    uint32_t unused;
};

/* Sends the times of an MPI_Win_post or MPI_Win_complete to its partners. */
static void send_to_group(const struct trace *trace, const struct search_rank *rank, uint32_t index,
                          int64_t last_operation, struct exchange *exchange)
{
    const struct stream *stream = rank->stream;
    const struct rma_sync *sync = &stream->rma_syncs[index];
    if (sync->partners == INDEX_NONE || rank->rma_sync_call[index] == CALL_NONE)
        return;
    const struct group *group = &trace->definitions->groups[sync->group];
    struct epoch_message message = {.enter = rank->calls[rank->rma_sync_call[index]].enter,
                                    .last_operation = last_operation,
                                    .kind = TO_SYNC,
                                    .from = stream->rank};
    for (uint32_t i = 0; i < group->count; i++) {
        message.rank = group_rank(group, i);
        message.place = stream->rma_partners[sync->partners + i];
        if (message.place != INDEX_NONE)
            exchange_put_owner(exchange, trace, message.rank, &message);
    }
}

static void send_to_targets(const struct trace *trace, const struct search_rank *rank,
                            struct exchange *exchange)
{
    const struct epochs *epochs = rank->epochs;
    for (size_t i = 0; i < epochs->targets.count; i++) {
        const struct epoch_target *target = &epochs->targets.items[i];
        const struct epoch *epoch = &epochs->list.items[target->epoch];
        if (epoch->kind != EPOCH_FENCE || epoch->closed == INDEX_NONE)
            continue;
        const struct collective *fence = &rank->stream->collectives[epoch->closed];
        const struct epoch_message message = {
            .kind = TO_FENCE,
            .rank = epoch_target_rank(trace, rank, epoch->window, target->target),
            .place = fence->comm,
            .instance = fence->instance,
            .last_operation = target->last_operation};
        if (message.rank < trace->rank_count && fence->instance != INDEX_NONE)
            exchange_put_owner(exchange, trace, message.rank, &message);
    }
}

static void send_epochs(const struct trace *trace, const struct search_rank *rank,
                        struct exchange *exchange)
{
    const struct stream *stream = rank->stream;
    const struct epochs *epochs = rank->epochs;
    for (uint32_t i = 0; i < stream->rma_sync_count; i++)
        if (stream->rma_syncs[i].kind == RMA_SYNC_POST)
            send_to_group(trace, rank, i, TIME_UNKNOWN, exchange);
    for (size_t i = 0; i < epochs->list.count; i++) {
        const struct epoch *epoch = &epochs->list.items[i];
        if (epoch->kind == EPOCH_ACCESS && epoch->closed != INDEX_NONE)
            send_to_group(trace, rank, epoch->closed, epoch->last_operation, exchange);
    }
    send_to_targets(trace, rank, exchange);
}

static uint64_t fence_key(uint32_t comm, uint32_t instance)
{
    return (uint64_t)comm << 32 | instance;
}

/* Finds the row of each fence on a rank. */
static bool index_fences(const struct stream *stream, struct map *fences)
{
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *c = &stream->collectives[i];
        if (c->flags & COLLECTIVE_WINDOW && c->instance != INDEX_NONE &&
            !map_at(fences, fence_key(c->comm, c->instance), i))
            return false;
    }
    return true;
}

static void store_message(const struct trace *trace, const struct search_rank *rank,
                          const struct map *fences, uint32_t *hints,
                          const struct epoch_message *message)
{
    struct epochs *epochs = rank->epochs;
    if (message->kind == TO_FENCE) {
        const uint32_t fence = map_get(fences, fence_key(message->place, message->instance));
        if (fence != MAP_NONE)
            epochs->last_access[fence] =
                int64_max(epochs->last_access[fence], message->last_operation);
        return;
    }
    const struct rma_sync *sync = &rank->stream->rma_syncs[message->place];
    const struct group *group = &trace->definitions->groups[sync->group];
    const uint32_t member = epoch_member(group, message->from, &hints[message->place]);
    if (member != INDEX_NONE)
        epochs->partners[sync->partners + member] =
            (struct epoch_partner){message->enter, message->last_operation};
}

static bool store_messages(const struct trace *trace, const struct search_rank *ranks,
                           const struct epoch_message *messages, size_t count)
{
    struct map *fences = calloc((size_t)trace->owned_count + 1, sizeof *fences);
    uint32_t **hints = calloc((size_t)trace->owned_count + 1, sizeof *hints);
    bool allocated = fences && hints;
    for (uint32_t i = 0; i < trace->owned_count && allocated && count; i++) {
        hints[i] = calloc((size_t)ranks[i].stream->rma_sync_count + 1, sizeof **hints);
        allocated = hints[i] && index_fences(ranks[i].stream, &fences[i]);
    }
    for (size_t i = 0; i < count && allocated; i++) {
        const uint32_t local = messages[i].rank - trace->first_rank;
        store_message(trace, &ranks[local], &fences[local], hints[local], &messages[i]);
    }
    for (uint32_t i = 0; i < trace->owned_count && fences && hints; i++) {
        map_clear(&fences[i]);
        free(hints[i]);
    }
    free(fences);
    free(hints);
    return allocated;
}

enum status epochs_exchange_partners(const struct trace *trace, const struct search_rank *ranks,
                                     struct error *error)
{
    struct exchange exchange =
        exchange_open(trace->processes, sizeof(struct epoch_message), "the pattern search");
    struct received received;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        send_epochs(trace, &ranks[i], &exchange);
    enum status status = exchange_run(&exchange, &received, error);
    if (status == STATUS_OK)
        status = processes_agree_memory(
            trace->processes, store_messages(trace, ranks, received.items, received.count),
            "one-sided communication", error);
    free(received.items);
    return status;
}
