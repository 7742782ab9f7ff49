/* One-sided communication is cut epoch by epoch (cut.h): an epoch that is not completely in the
 * range is removed, with the epochs of other ranks that it synchronises with. */
#include "base/array.h"
#include "structure/cut_marks.h"
#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char purpose[] = "cutting a trace";

enum epoch_kind {
    EPOCH_FENCE,    /* from one collective call on the window to the next */
    EPOCH_LOCK,     /* from MPI_Win_lock to MPI_Win_unlock */
    EPOCH_ACCESS,   /* from MPI_Win_start to MPI_Win_complete */
    EPOCH_EXPOSURE, /* from MPI_Win_post to MPI_Win_wait */
};

struct cut_epoch {
    uint32_t window;
    uint32_t peer; /* of a lock, INDEX_NONE: all; other kinds: 0 */
    enum epoch_kind kind;
    bool whole;
};

/* The epochs of one location. */
struct cut_epochs {
    struct location_marks *marks;
    ARRAY(struct cut_epoch) list;
    ARRAY(uint32_t) open;
    uint32_t *of_op, *of_sync; /* by index in the stream's tables; INDEX_NONE: no epoch */
    struct map operations;     /* window and matching id -> epoch of the last such operation */
    bool out_of_memory;
};

/* The epoch, and its place among the open ones; INDEX_NONE if none is open. */
static uint32_t find_open(const struct cut_epochs *epochs, enum epoch_kind kind, uint32_t window,
                          uint32_t peer, size_t *place)
{
    for (size_t i = 0; i < epochs->open.count; i++) {
        const struct cut_epoch *epoch = &epochs->list.items[epochs->open.items[i]];
        if (epoch->kind == kind && epoch->window == window && epoch->peer == peer) {
            if (place)
                *place = i;
            return epochs->open.items[i];
        }
    }
    return INDEX_NONE;
}

/* The open epoch; a new one if none is. */
static uint32_t begin_epoch(struct cut_epochs *epochs, enum epoch_kind kind, uint32_t window,
                            uint32_t peer)
{
    uint32_t index = find_open(epochs, kind, window, peer, NULL);
    if (index != INDEX_NONE)
        return index;
    struct cut_epoch epoch = {window, peer, kind, true};
    if (!array_push(&epochs->list, epoch) ||
        !array_push(&epochs->open, (uint32_t)epochs->list.count - 1)) {
        epochs->out_of_memory = true;
        return INDEX_NONE;
    }
    return (uint32_t)epochs->list.count - 1;
}

/* Adds an event to an epoch, which is whole only if all of its events stay. */
static void join_epoch(struct cut_epochs *epochs, uint32_t epoch, bool stays)
{
    if (epoch != INDEX_NONE && !stays)
        epochs->list.items[epoch].whole = false;
}

/* Ends an open epoch. An epoch whose beginning is not recorded is not whole. */
static uint32_t end_epoch(struct cut_epochs *epochs, enum epoch_kind kind, uint32_t window,
                          uint32_t peer)
{
    size_t place = 0;
    uint32_t index = find_open(epochs, kind, window, peer, &place);
    if (index == INDEX_NONE) {
        index = begin_epoch(epochs, kind, window, peer);
        join_epoch(epochs, index, false);
        place = epochs->open.count - 1;
    }
    if (index != INDEX_NONE)
        epochs->open.items[place] = epochs->open.items[--epochs->open.count];
    return index;
}

static uint64_t operation_key(uint32_t window, uint64_t matching)
{
    return map_mix(matching) + window;
}

/* The innermost epoch that allows an operation on a target. */
static uint32_t epoch_of_access(const struct cut_epochs *epochs, uint32_t window, uint32_t target)
{
    const struct {
        enum epoch_kind kind;
        uint32_t peer;
    } choices[] = {
        {EPOCH_LOCK, target}, {EPOCH_LOCK, INDEX_NONE}, {EPOCH_ACCESS, 0}, {EPOCH_FENCE, 0}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        uint32_t epoch = find_open(epochs, choices[i].kind, window, choices[i].peer, NULL);
        if (epoch != INDEX_NONE)
            return epoch;
    }
    return INDEX_NONE;
}

static void take_operation(struct cut_epochs *epochs, uint32_t index, bool inside)
{
    const struct rma_op *op = &epochs->marks->stream->rma_ops[index];
    uint32_t epoch = epoch_of_access(epochs, op->window, op->target);
    join_epoch(epochs, epoch, inside);
    epochs->of_op[index] = epoch;
    epochs->marks->rma_ops[index] = !inside;
    uint64_t key = operation_key(op->window, op->matching);
    map_take(&epochs->operations, key);
    if (epoch != INDEX_NONE && !map_set(&epochs->operations, key, epoch))
        epochs->out_of_memory = true;
}

/* The epoch that a synchronisation begins, ends or belongs to. */
static uint32_t epoch_of_sync(struct cut_epochs *epochs, const struct rma_sync *sync)
{
    switch ((enum rma_sync_kind)sync->kind) {
    case RMA_SYNC_REQUEST_LOCK:
    case RMA_SYNC_ACQUIRE_LOCK:
        return begin_epoch(epochs, EPOCH_LOCK, sync->window, sync->peer);
    case RMA_SYNC_RELEASE_LOCK:
        return end_epoch(epochs, EPOCH_LOCK, sync->window, sync->peer);
    case RMA_SYNC_START:
        return begin_epoch(epochs, EPOCH_ACCESS, sync->window, 0);
    case RMA_SYNC_COMPLETE:
        return end_epoch(epochs, EPOCH_ACCESS, sync->window, 0);
    case RMA_SYNC_POST:
        return begin_epoch(epochs, EPOCH_EXPOSURE, sync->window, 0);
    case RMA_SYNC_WAIT:
        return end_epoch(epochs, EPOCH_EXPOSURE, sync->window, 0);
    case RMA_SYNC_DONE_BLOCKING:
    case RMA_SYNC_DONE_NONBLOCKING:
    case RMA_SYNC_DONE_REMOTE:
    case RMA_SYNC_TEST: {
        uint32_t epoch = map_get(&epochs->operations, operation_key(sync->window, sync->matching));
        return epoch == MAP_NONE ? INDEX_NONE : epoch;
    }
    case RMA_SYNC_TRY_LOCK: /* without success */
    case RMA_SYNC_GROUP:
    case RMA_SYNC_DIRECT:
    case RMA_SYNC_WAIT_CHANGE:
    case RMA_SYNC_KIND_COUNT:
        break;
    }
    return INDEX_NONE;
}

static void take_sync(struct cut_epochs *epochs, uint32_t index, bool inside)
{
    const struct rma_sync *sync = &epochs->marks->stream->rma_syncs[index];
    uint32_t epoch = epoch_of_sync(epochs, sync);
    join_epoch(epochs, epoch, inside);
    epochs->of_sync[index] = epoch;
    epochs->marks->rma_syncs[index] = !inside;
}

/* A fence ends an epoch and begins the next one. */
static void take_window_collective(struct cut_epochs *epochs, uint32_t index)
{
    const struct collective *collective = &epochs->marks->stream->collectives[index];
    bool stays = !epochs->marks->collectives[index];
    if (!(collective->flags & COLLECTIVE_WINDOW))
        return;
    join_epoch(epochs, end_epoch(epochs, EPOCH_FENCE, collective->window, 0), stays);
    join_epoch(epochs, begin_epoch(epochs, EPOCH_FENCE, collective->window, 0), stays);
}

/* Finds the epochs of a location. An epoch that is never ended lasts to the end of the trace. */
static void find_location_epochs(struct cut_epochs *epochs)
{
    const struct stream *stream = epochs->marks->stream;
    for (uint32_t row = 0; row < stream->count && !epochs->out_of_memory; row++) {
        bool inside = epochs->marks->inside[row];
        if (stream->kind[row] == EVENT_RMA_OP)
            take_operation(epochs, stream->arg[row], inside);
        else if (stream->kind[row] == EVENT_RMA_SYNC)
            take_sync(epochs, stream->arg[row], inside);
        else if (stream->kind[row] == EVENT_COLLECTIVE_END)
            take_window_collective(epochs, stream->arg[row]);
    }
    for (size_t i = 0; i < epochs->open.count; i++)
        join_epoch(epochs, epochs->open.items[i], epochs->marks->last == stream->count);
}

/* A synchronisation that is removed because its partner's epoch is removed. */
struct lost_partner {
    uint32_t rank, sync;
};

static void send_lost(const struct trace *trace, const struct cut_epochs *epochs,
                      const bool *was_whole, struct exchange *exchange)
{
    const struct stream *stream = epochs->marks->stream;
    for (uint32_t i = 0; i < stream->rma_sync_count; i++) {
        const struct rma_sync *sync = &stream->rma_syncs[i];
        uint32_t epoch = epochs->of_sync[i];
        if (sync->kind > RMA_SYNC_WAIT || sync->partners == INDEX_NONE || epoch == INDEX_NONE ||
            epochs->list.items[epoch].whole || !was_whole[epoch])
            continue;
        const struct group *group = &trace->definitions->groups[sync->group];
        for (uint32_t m = 0; m < group->count; m++) {
            struct lost_partner lost = {group_rank(group, m),
                                        stream->rma_partners[sync->partners + m]};
            if (lost.sync != INDEX_NONE)
                exchange_put_owner(exchange, trace, lost.rank, &lost);
        }
    }
}

/* Collective. Sends the epochs lost since the last round to the partners, until no more epochs are
 * lost. `whole` [stream][epoch]: before the round. */
static enum status spread_losses(const struct trace *trace, struct cut_epochs *epochs, bool **whole,
                                 struct error *error)
{
    for (int64_t changed = 1; changed;) {
        struct exchange exchange =
            exchange_open(trace->processes, sizeof(struct lost_partner), purpose);
        struct received lost;
        for (uint32_t s = 0; s < trace->owned_count; s++) {
            send_lost(trace, &epochs[s], whole[s], &exchange);
            for (size_t e = 0; e < epochs[s].list.count; e++)
                whole[s][e] = epochs[s].list.items[e].whole;
        }
        enum status status = exchange_run(&exchange, &lost, error);
        if (status != STATUS_OK)
            return status;
        changed = 0;
        for (size_t i = 0; i < lost.count; i++) {
            const struct lost_partner *partner = (const struct lost_partner *)lost.items + i;
            struct cut_epochs *own = &epochs[partner->rank - trace->first_rank];
            assert(partner->sync < own->marks->stream->rma_sync_count);
            uint32_t epoch = own->of_sync[partner->sync];
            changed |= epoch != INDEX_NONE && own->list.items[epoch].whole;
            join_epoch(own, epoch, false);
        }
        free(lost.items);
        processes_max(trace->processes, &changed, 1);
    }
    return STATUS_OK;
}

static void mark_items(const struct cut_epochs *epochs, const uint32_t *epoch_of, uint32_t count,
                       bool *marks)
{
    for (uint32_t i = 0; i < count; i++)
        if (epoch_of[i] != INDEX_NONE)
            marks[i] = !epochs->list.items[epoch_of[i]].whole;
}

/* False if out of memory. */
static bool open_location(struct cut_epochs *epochs, struct arena *arena, bool **whole)
{
    const struct stream *stream = epochs->marks->stream;
    epochs->of_op = arena_alloc_array(arena, stream->rma_op_count, sizeof *epochs->of_op);
    epochs->of_sync = arena_alloc_array(arena, stream->rma_sync_count, sizeof *epochs->of_sync);
    if (!epochs->of_op || !epochs->of_sync)
        return false;
    find_location_epochs(epochs);
    *whole =
        epochs->out_of_memory ? NULL : arena_alloc_array(arena, epochs->list.count, sizeof(bool));
    for (size_t e = 0; *whole && e < epochs->list.count; e++)
        (*whole)[e] = true;
    return *whole != NULL;
}

enum status cut_marks_windows(struct cut_marks *marks, struct error *error)
{
    const struct trace *trace = marks->trace;
    uint32_t count = trace->owned_count + trace->carried_count;
    if (trace->definitions->window_count == 0)
        return STATUS_OK;
    struct cut_epochs *epochs = arena_alloc_array(marks->arena, (size_t)count + 1, sizeof *epochs);
    bool **whole = arena_alloc_array(marks->arena, (size_t)count + 1, sizeof *whole);
    bool allocated = epochs && whole;
    for (uint32_t i = 0; allocated && i < count; i++) {
        epochs[i].marks = &marks->locations[i];
        allocated = open_location(&epochs[i], marks->arena, &whole[i]);
    }
    enum status status = processes_agree_memory(trace->processes, allocated, purpose, error);
    if (status == STATUS_OK)
        status = spread_losses(trace, epochs, whole, error);
    for (uint32_t i = 0; epochs && i < count; i++) {
        if (status == STATUS_OK) {
            const struct stream *stream = epochs[i].marks->stream;
            mark_items(&epochs[i], epochs[i].of_op, stream->rma_op_count, epochs[i].marks->rma_ops);
            mark_items(&epochs[i], epochs[i].of_sync, stream->rma_sync_count,
                       epochs[i].marks->rma_syncs);
        }
        free(epochs[i].list.items);
        free(epochs[i].open.items);
        map_clear(&epochs[i].operations);
    }
    return status;
}
