/* One pass over a rank's one-sided events, which keeps the open epochs of each window. */
#include "patterns/epochs.h"

#include "base/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct open_epochs { /* of a window; indices of epochs */
    uint32_t fence, access, lock_all;
};

struct epoch_builder {
    const struct search_rank *rank;
    struct epochs *epochs;
    struct open_epochs *windows; /* [window] */
    struct map locks;            /* window, target -> the last epoch that locks it */
    struct map targets;          /* epoch, target -> index */
    struct map matching;         /* -> last operation with this id */
    uint32_t *epoch_of;          /* [operation] */
};

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* INDEX_NONE if out of memory. */
static uint32_t add_open_epoch(struct epoch_builder *b, struct epoch epoch)
{
    epoch.closed = INDEX_NONE;
    if (!array_push(&b->epochs->list, epoch))
        return INDEX_NONE;
    return (uint32_t)b->epochs->list.count - 1;
}

static bool add_access(struct epoch_builder *b, uint32_t epoch, uint32_t call, uint32_t target,
                       bool operation)
{
    const struct epoch_access access = {epoch, call, target, operation};
    return array_push(&b->epochs->accesses, access);
}

/* The innermost epoch that an operation belongs to; INDEX_NONE if out of memory. */
static uint32_t epoch_for(struct epoch_builder *b, uint32_t window, uint32_t target)
{
    struct open_epochs *open = &b->windows[window];
    const uint32_t lock = map_get(&b->locks, pair_key(window, target));
    if (lock != MAP_NONE && b->epochs->list.items[lock].closed == INDEX_NONE)
        return lock;
    if (open->lock_all != INDEX_NONE)
        return open->lock_all;
    if (open->access != INDEX_NONE)
        return open->access;
    if (open->fence == INDEX_NONE)
        open->fence = add_open_epoch(b, (struct epoch){.kind = EPOCH_FENCE,
                                                       .window = window,
                                                       .target = INDEX_NONE,
                                                       .opened = INDEX_NONE});
    return open->fence;
}

static bool note_target(struct epoch_builder *b, uint32_t epoch, uint32_t target, int64_t leave)
{
    const uint32_t count = (uint32_t)b->epochs->targets.count;
    const uint32_t *index = map_at(&b->targets, pair_key(epoch, target), count);
    if (!index)
        return false;
    if (*index < count) {
        int64_t *last = &b->epochs->targets.items[*index].last_operation;
        *last = int64_max(*last, leave);
        return true;
    }
    struct epoch *in = &b->epochs->list.items[epoch];
    in->target_count +=
        in->kind != EPOCH_FENCE ||
        epoch_target_rank(b->rank->trace, b->rank, in->window, target) != b->rank->stream->rank;
    return array_push(&b->epochs->targets, ((struct epoch_target){epoch, target, leave}));
}

static bool add_rma_operation(struct epoch_builder *b, uint32_t index)
{
    const struct rma_op *op = &b->rank->stream->rma_ops[index];
    const uint32_t call = b->rank->rma_op_call[index];
    if (call == CALL_NONE)
        return true;
    assert(op->window < b->rank->trace->definitions->window_count);
    const uint32_t number = epoch_for(b, op->window, op->target);
    if (number == INDEX_NONE || !map_set(&b->matching, op->matching, index))
        return false;
    b->epoch_of[index] = number;
    struct epoch *epoch = &b->epochs->list.items[number];
    const int64_t leave = b->rank->calls[call].leave;
    epoch->last_operation = int64_max(epoch->last_operation, leave);
    return note_target(b, number, op->target, leave) &&
           (epoch->kind == EPOCH_FENCE || add_access(b, number, call, op->target, true));
}

static bool open_access_epoch(struct epoch_builder *b, uint32_t index, uint32_t call)
{
    const struct rma_sync *sync = &b->rank->stream->rma_syncs[index];
    uint32_t *access = &b->windows[sync->window].access;
    *access = add_open_epoch(b, (struct epoch){.kind = EPOCH_ACCESS,
                                               .window = sync->window,
                                               .target = INDEX_NONE,
                                               .opened = index,
                                               .last_operation = b->rank->calls[call].leave});
    return *access != INDEX_NONE && add_access(b, *access, call, INDEX_NONE, false);
}

static bool close_access_epoch(struct epoch_builder *b, uint32_t index, uint32_t call)
{
    uint32_t *access = &b->windows[b->rank->stream->rma_syncs[index].window].access;
    const uint32_t epoch = *access;
    if (epoch == INDEX_NONE)
        return true;
    b->epochs->list.items[epoch].closed = index;
    *access = INDEX_NONE;
    return add_access(b, epoch, call, INDEX_NONE, false);
}

/* The open epoch with that lock, INDEX_NONE if there is none. */
static uint32_t find_lock(const struct epoch_builder *b, const struct rma_sync *sync)
{
    if (sync->peer == INDEX_NONE)
        return b->windows[sync->window].lock_all;
    const uint32_t lock = map_get(&b->locks, pair_key(sync->window, sync->peer));
    return lock != MAP_NONE && b->epochs->list.items[lock].closed == INDEX_NONE ? lock : INDEX_NONE;
}

/* A lock's request, or its acquisition (with or without a request before it). */
static bool open_lock_epoch(struct epoch_builder *b, uint32_t index, uint32_t call)
{
    const struct rma_sync *sync = &b->rank->stream->rma_syncs[index];
    uint32_t epoch = find_lock(b, sync);
    if (epoch != INDEX_NONE)
        return add_access(b, epoch, call, sync->peer, false);
    epoch =
        add_open_epoch(b, (struct epoch){.kind = EPOCH_LOCK,
                                         .window = sync->window,
                                         .target = sync->peer,
                                         .opened = index,
                                         .exclusive = sync->mode == RMA_LOCK_EXCLUSIVE,
                                         .unchecked = sync->assertion & SILAS_ASSERTION_NOCHECK});
    if (epoch == INDEX_NONE)
        return false;
    if (sync->peer == INDEX_NONE)
        b->windows[sync->window].lock_all = epoch;
    else if (!map_set(&b->locks, pair_key(sync->window, sync->peer), epoch))
        return false;
    return add_access(b, epoch, call, sync->peer, false);
}

static bool close_lock_epoch(struct epoch_builder *b, uint32_t index, uint32_t call)
{
    const struct rma_sync *sync = &b->rank->stream->rma_syncs[index];
    const uint32_t epoch = find_lock(b, sync);
    if (epoch == INDEX_NONE)
        return true;
    b->epochs->list.items[epoch].closed = index;
    if (sync->peer == INDEX_NONE)
        b->windows[sync->window].lock_all = INDEX_NONE;
    return add_access(b, epoch, call, sync->peer, false);
}

/* Operations are complete: the call may have waited for them. */
static bool note_completion(struct epoch_builder *b, uint32_t index, uint32_t call)
{
    const uint32_t op = map_get(&b->matching, b->rank->stream->rma_syncs[index].matching);
    if (op == MAP_NONE || b->epochs->list.items[b->epoch_of[op]].kind != EPOCH_LOCK)
        return true;
    return add_access(b, b->epoch_of[op], call, b->rank->stream->rma_ops[op].target, false);
}

static bool add_sync(struct epoch_builder *b, uint32_t index)
{
    const uint32_t call = b->rank->rma_sync_call[index];
    if (call == CALL_NONE)
        return true;
    switch ((enum rma_sync_kind)b->rank->stream->rma_syncs[index].kind) {
    case RMA_SYNC_START:
        return open_access_epoch(b, index, call);
    case RMA_SYNC_COMPLETE:
        return close_access_epoch(b, index, call);
    case RMA_SYNC_REQUEST_LOCK:
    case RMA_SYNC_ACQUIRE_LOCK:
        return open_lock_epoch(b, index, call);
    case RMA_SYNC_RELEASE_LOCK:
        return close_lock_epoch(b, index, call);
    case RMA_SYNC_DONE_BLOCKING:
    case RMA_SYNC_DONE_NONBLOCKING:
    case RMA_SYNC_DONE_REMOTE:
        return note_completion(b, index, call);
    default:
        return true;
    }
}

static void add_fence(struct epoch_builder *b, uint32_t index)
{
    const struct collective *c = &b->rank->stream->collectives[index];
    if (!(c->flags & COLLECTIVE_WINDOW) || c->op != COLLECTIVE_BARRIER)
        return;
    uint32_t *fence = &b->windows[c->window].fence;
    if (*fence != INDEX_NONE)
        b->epochs->list.items[*fence].closed = index;
    *fence = INDEX_NONE;
}

static bool add_events(struct epoch_builder *b)
{
    const struct stream *stream = b->rank->stream;
    bool allocated = true;
    for (uint32_t row = 0; row < stream->count && allocated; row++) {
        if (stream->kind[row] == EVENT_RMA_OP)
            allocated = add_rma_operation(b, stream->arg[row]);
        else if (stream->kind[row] == EVENT_RMA_SYNC)
            allocated = add_sync(b, stream->arg[row]);
        else if (stream->kind[row] == EVENT_COLLECTIVE_END)
            add_fence(b, stream->arg[row]);
    }
    return allocated;
}

static int64_t *unknown_times(size_t count)
{
    int64_t *times = malloc((count + 1) * sizeof *times);
    for (size_t i = 0; times && i < count; i++)
        times[i] = TIME_UNKNOWN;
    return times;
}

static struct epoch_wait *no_waits(size_t count)
{
    struct epoch_wait *waits = malloc((count + 1) * sizeof *waits);
    for (size_t i = 0; waits && i < count; i++)
        waits[i] = (struct epoch_wait){TIME_UNKNOWN, INDEX_NONE};
    return waits;
}

static bool alloc_epoch_columns(struct epochs *epochs, const struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    uint32_t places = 0;
    for (uint32_t i = 0; i < stream->rma_sync_count; i++) {
        const struct rma_sync *sync = &stream->rma_syncs[i];
        if (sync->partners != INDEX_NONE)
            places = sync->partners + rank->trace->definitions->groups[sync->group].count;
    }
    epochs->partners = malloc(((size_t)places + 1) * sizeof *epochs->partners);
    for (uint32_t i = 0; epochs->partners && i < places; i++)
        epochs->partners[i] = (struct epoch_partner){TIME_UNKNOWN, TIME_UNKNOWN};
    epochs->last_access = unknown_times(stream->collective_count);
    return epochs->partners && epochs->last_access;
}

/* Only ranks that lock need these columns. */
static bool alloc_lock_columns(struct epochs *epochs, const struct search_rank *rank)
{
    size_t i = 0;
    while (i < epochs->list.count && epochs->list.items[i].kind != EPOCH_LOCK)
        i++;
    if (i == epochs->list.count)
        return true;
    epochs->lock_waits = no_waits(rank->call_count);
    epochs->progress_waits = no_waits(rank->call_count);
    return epochs->lock_waits && epochs->progress_waits;
}

struct epochs *epochs_build(const struct search_rank *rank)
{
    const uint32_t windows = rank->trace->definitions->window_count;
    assert(rank->rma_op_call && rank->rma_sync_call); /* search_rank_sweep has found the calls */
    struct epoch_builder b = {
        .rank = rank,
        .epochs = calloc(1, sizeof *b.epochs),
        .windows = malloc(((size_t)windows + 1) * sizeof *b.windows),
        .epoch_of = malloc(((size_t)rank->stream->rma_op_count + 1) * sizeof *b.epoch_of)};
    if (b.windows)
        memset(b.windows, 0xff, windows * sizeof *b.windows); /* INDEX_NONE */
    if (!b.epochs || !b.windows || !b.epoch_of || !alloc_epoch_columns(b.epochs, rank) ||
        !add_events(&b) || !alloc_lock_columns(b.epochs, rank)) {
        epochs_destroy(b.epochs);
        b.epochs = NULL;
    }
    map_clear(&b.locks);
    map_clear(&b.targets);
    map_clear(&b.matching);
    free(b.windows);
    free(b.epoch_of);
    return b.epochs;
}

void epochs_destroy(struct epochs *epochs)
{
    if (!epochs)
        return;
    free(epochs->list.items);
    free(epochs->accesses.items);
    free(epochs->targets.items);
    free(epochs->partners);
    free(epochs->last_access);
    free(epochs->lock_waits);
    free(epochs->progress_waits);
    free(epochs);
}

uint32_t epoch_member(const struct group *group, uint32_t rank, uint32_t *hint)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t place = (uint32_t)(((uint64_t)*hint + i) % group->count);
        if (group_rank(group, place) == rank) {
            *hint = place + 1;
            return place;
        }
    }
    return INDEX_NONE;
}

bool epochs_wanted(const struct definitions *d)
{
    uint32_t i = 0;
    while (i < d->window_count && !window_takes_part(d, i))
        i++;
    return i < d->window_count;
}
