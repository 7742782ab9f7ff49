#include "replay/realtime/windows.h"

#include "replay/realtime/operate.h"
#include "trace/threads.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const struct rebuilt_type *rma_layout(struct rebuilt_types *rebuilt, const struct rma_op *op,
                                      bool origin)
{
    const struct call_types *types = rebuilt_types_find(rebuilt, op->types);
    const struct rebuilt_type *layout = call_types_layout(types, origin, 0);
    const uint64_t bytes = op->sent > op->received ? op->sent : op->received;
    return layout && layout->type != MPI_DATATYPE_NULL && bytes % layout->size == 0 &&
                   bytes / layout->size <= INT_MAX
               ? layout
               : NULL;
}

/* The bytes of the target's window that an operation needs, if it is at its beginning. */
static uint64_t rma_target_span(struct rebuilt_types *rebuilt, const struct rma_op *op)
{
    const uint64_t bytes = op->sent > op->received ? op->sent : op->received;
    const struct rebuilt_type *target = rma_layout(rebuilt, op, false);
    MPI_Aint lowest = 0;
    const uint64_t span =
        target ? datatype_span(target->type, bytes / target->size, &lowest) : bytes;
    return span + (lowest > 0 ? (uint64_t)lowest : 0);
}

/* Each rank's memory is as large as recorded, and at least as large as the largest operation on the
 * window: a replay reads and writes the beginning of a window. */
static void agree_on_bytes(const struct trace *trace, struct windows *windows)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        for (uint32_t i = 0; i < stream->rma_op_count; i++) {
            const struct rma_op *op = &stream->rma_ops[i];
            uint64_t bytes = rma_target_span(windows->rebuilt, op);
            if ((int64_t)bytes > windows->bytes[op->window])
                windows->bytes[op->window] = (int64_t)bytes;
        }
    }
    processes_max(trace->processes, windows->bytes, windows->count);
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const uint64_t *bytes = trace->streams[s].window_bytes;
        for (uint32_t w = 0; bytes && w < windows->count; w++)
            if (bytes[w] != UINT64_MAX && (int64_t)bytes[w] > windows->bytes[w])
                windows->bytes[w] = (int64_t)bytes[w];
    }
}

/* Whether a collective call makes its window. */
static bool makes_window(const struct collective *collective)
{
    return collective->op == COLLECTIVE_CREATE_HANDLE ||
           collective->op == COLLECTIVE_CREATE_HANDLE_AND_ALLOCATE;
}

/* Notes which windows the rank uses, and which it makes. A window that is used but not made must be
 * made by all members, also by those that are only targets. */
static void note_windows(const struct stream *stream, int64_t *uses, int64_t *makes)
{
    for (uint32_t i = 0; i < stream->collective_count; i++)
        if (stream->collectives[i].flags & COLLECTIVE_WINDOW)
            (makes_window(&stream->collectives[i]) ? makes : uses)[stream->collectives[i].window] =
                1;
    for (uint32_t i = 0; i < stream->rma_op_count; i++)
        uses[stream->rma_ops[i].window] = 1;
    for (uint32_t i = 0; i < stream->rma_sync_count; i++)
        uses[stream->rma_syncs[i].window] = 1;
}

static void agree_on_early(const struct trace *trace, struct windows *windows, int64_t *uses)
{
    int64_t *makes = uses + windows->count;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        note_windows(&trace->streams[s], uses, makes);
    for (uint32_t w = 0; w < windows->count; w++)
        windows->made[w] = makes[w];
    processes_max(trace->processes, uses, 2 * (size_t)windows->count);
    for (uint32_t w = 0; w < windows->count; w++)
        windows->needed[w] = uses[w] && !makes[w] && window_takes_part(trace->definitions, w);
}

enum status windows_open(const struct trace *trace, struct rebuilt_types *rebuilt,
                         struct arena *arena, struct windows *windows, struct error *error)
{
    memset(windows, 0, sizeof *windows);
    windows->rebuilt = rebuilt;
    windows->handler = MPI_ERRHANDLER_NULL;
    windows->arena = arena;
    windows->count = trace->definitions->window_count;
    windows->real = malloc(((size_t)windows->count + 1) * sizeof *windows->real);
    windows->bytes = calloc((size_t)windows->count + 1, sizeof *windows->bytes);
    windows->early = calloc((size_t)windows->count + 1, sizeof *windows->early);
    windows->needed = calloc((size_t)windows->count + 1, sizeof *windows->needed);
    windows->made = calloc((size_t)windows->count + 1, sizeof *windows->made);
    int64_t *uses = calloc(2 * (size_t)windows->count + 1, sizeof *uses);
    bool room = windows->real && windows->bytes && windows->early && windows->needed &&
                windows->made && uses;
    enum status status =
        processes_agree_memory(trace->processes, room, "the windows of a replay", error);
    for (uint32_t w = 0; status == STATUS_OK && w < windows->count; w++)
        windows->real[w] = MPI_WIN_NULL;
    if (status == STATUS_OK) {
        agree_on_bytes(trace, windows);
        agree_on_early(trace, windows, uses);
    }
    free(uses);
    if (status != STATUS_OK)
        windows_close(windows);
    return status;
}

void windows_close(struct windows *windows)
{
    for (size_t i = 0; i < windows->groups.count; i++)
        MPI_Group_free(&windows->groups.items[i].real);
    if (windows->handler != MPI_ERRHANDLER_NULL && windows->real)
        MPI_Errhandler_free(&windows->handler);
    free(windows->groups.items);
    free(windows->calls.items);
    free(windows->locks.items);
    free(windows->real);
    free(windows->bytes);
    free(windows->early);
    free(windows->needed);
    free(windows->made);
    free(windows->done);
    memset(windows, 0, sizeof *windows);
}

/* The number of a rank among the members of a window. Another thread of its process may have made
 * the window. */
static int member_of_window(const struct definitions *d, uint32_t window, uint32_t rank)
{
    const uint32_t own = d->windows[window].own;
    uint32_t member = comm_rank_of(d, own, rank);
    for (uint32_t i = 0; member == INDEX_NONE && i < comm_member_count(d, own); i++)
        if (mpi_process_of(d, comm_member(d, own, i)) == mpi_process_of(d, rank))
            member = i;
    return (int)member;
}

static MPI_Group make_epoch_group(const struct trace *trace, MPI_Comm comm, uint32_t window,
                                  const struct group *group)
{
    MPI_Group all, real = MPI_GROUP_NULL;
    int *ranks = malloc(((size_t)group->count + 1) * sizeof *ranks);
    if (!ranks)
        return MPI_GROUP_NULL;
    for (uint32_t i = 0; i < group->count; i++)
        ranks[i] = member_of_window(trace->definitions, window, group_rank(group, i));
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, (int)group->count, ranks, &real);
    MPI_Group_free(&all);
    free(ranks);
    return real;
}

MPI_Group windows_group(struct windows *windows, const struct trace *trace, MPI_Comm comm,
                        uint32_t window, uint32_t group)
{
    assert(group < trace->definitions->group_count);
    for (size_t i = 0; i < windows->groups.count; i++)
        if (windows->groups.items[i].window == window && windows->groups.items[i].group == group)
            return windows->groups.items[i].real;
    struct window_group made = {
        window, group, make_epoch_group(trace, comm, window, &trace->definitions->groups[group])};
    if (made.real != MPI_GROUP_NULL && !array_push(&windows->groups, made))
        MPI_Group_free(&made.real);
    return made.real;
}

static int by_window(const void *a, const void *b)
{
    const struct rma_call *x = *(struct rma_call *const *)a, *y = *(struct rma_call *const *)b;
    return ORDER(x->window, y->window) ?: ORDER(x->thread, y->thread) ?: ORDER(x->begin, y->begin);
}

/* Orders the calls on one window, which are sorted by threads. */
static bool order_calls(struct windows *windows, struct rma_call **calls, size_t count)
{
    size_t first[windows->threads + 1];
    for (uint32_t t = 0; t <= windows->threads; t++)
        first[t] = first_where(0, count, i, calls[i]->thread >= t);
    for (size_t i = 0; i < count; i++) {
        uint32_t *after = arena_alloc_array(windows->arena, windows->threads, sizeof *after);
        if (!after)
            return false;
        for (uint32_t t = 0; t < windows->threads; t++)
            if (t != calls[i]->thread)
                after[t] = (uint32_t)(first_where(first[t], first[t + 1], k,
                                                  calls[k]->end >= calls[i]->begin) -
                                      first[t]);
        calls[i]->after = after;
    }
    return true;
}

/* The other end of a lock: the call that unlocks if this one locks, and the reverse. MPI_CALL_NONE:
 * it does neither. */
static enum mpi_call lock_counterpart(enum mpi_call call)
{
    switch (call) {
    case MPI_CALL_WIN_LOCK:
        return MPI_CALL_WIN_UNLOCK;
    case MPI_CALL_WIN_UNLOCK:
        return MPI_CALL_WIN_LOCK;
    case MPI_CALL_WIN_LOCK_ALL:
        return MPI_CALL_WIN_UNLOCK_ALL;
    case MPI_CALL_WIN_UNLOCK_ALL:
        return MPI_CALL_WIN_LOCK_ALL;
    default:
        return MPI_CALL_NONE;
    }
}

/* Whether the calls are the two ends of a lock. */
static bool are_ends_of_lock(const struct rma_call *a, const struct rma_call *b)
{
    return a->window == b->window && a->call == lock_counterpart(b->call) &&
           (a->target == b->target || a->call == MPI_CALL_WIN_LOCK_ALL ||
            a->call == MPI_CALL_WIN_UNLOCK_ALL);
}

/* Keeps the calls without another end. One thread may lock and another unlock, so the ends may come
 * in any order. */
bool windows_find_locks(struct windows *windows)
{
    for (size_t i = 0; i < windows->calls.count; i++) {
        const struct rma_call *call = windows->calls.items[i];
        if (lock_counterpart(call->call) == MPI_CALL_NONE)
            continue;
        size_t k = windows->locks.count;
        while (k > 0 && !are_ends_of_lock(windows->locks.items[k - 1], call))
            k--;
        if (k > 0)
            windows->locks.items[k - 1] = windows->locks.items[--windows->locks.count];
        else if (!array_push(&windows->locks, call))
            return false;
    }
    return true;
}

bool windows_order_calls(struct windows *windows, uint32_t threads)
{
    struct rma_call **calls = malloc((windows->calls.count + 1) * sizeof *calls);
    size_t count = 0;
    windows->threads = threads;
    windows->done = calloc((size_t)windows->count * threads + 1, sizeof *windows->done);
    bool room = calls && windows->done;
    for (size_t i = 0; i < windows->calls.count && room; i++)
        if (windows->early[windows->calls.items[i]->window] != windows->calls.items[i])
            calls[count++] = windows->calls.items[i];
    if (count > 1)
        qsort(calls, count, sizeof(struct rma_call *), by_window);
    for (size_t i = 0, end; i < count && room; i = end) {
        for (end = i + 1; end < count && calls[end]->window == calls[i]->window;)
            end++;
        if (calls[i]->thread != calls[end - 1]->thread)
            room = order_calls(windows, calls + i, end - i);
    }
    free(calls);
    return room;
}

void windows_place_buffers(struct windows *windows, const struct buffers *buffers)
{
    for (size_t i = 0; i < windows->calls.count; i++) {
        struct rma_call *call = windows->calls.items[i];
        MPI_Aint lowest = 0;
        if (call->count > 0)
            datatype_span(call->type, (uint64_t)call->count, &lowest);
        call->origin = buffers_address(buffers, call->origin) - lowest;
        call->result = buffers_address(buffers, call->result) - lowest;
    }
}

/* Makes the window that the call describes. */
static void window_make(struct windows *windows, const struct rma_call *c)
{
    assert(windows->real[c->window] == MPI_WIN_NULL);
    MPI_Win *win = &windows->real[c->window];
    void *memory;
    switch (c->call) {
    case MPI_CALL_WIN_ALLOCATE:
        MPI_Win_allocate(c->bytes, 1, MPI_INFO_NULL, c->comm, &memory, win);
        break;
    case MPI_CALL_WIN_ALLOCATE_SHARED:
        MPI_Win_allocate_shared(c->bytes, 1, MPI_INFO_NULL, c->comm, &memory, win);
        break;
    default:
        MPI_Win_create(c->origin, c->bytes, 1, MPI_INFO_NULL, c->comm, win);
    }
    if (windows->handler != MPI_ERRHANDLER_NULL)
        MPI_Win_set_errhandler(*win, windows->handler);
}

/* All ranks make them in order of definition, so the creations cannot block each other. */
void windows_begin_run(struct windows *windows)
{
    for (size_t i = 0; windows->done && i < (size_t)windows->count * windows->threads; i++)
        atomic_store(&windows->done[i], 0);
    for (uint32_t w = 0; w < windows->count; w++)
        if (windows->early[w])
            window_make(windows, windows->early[w]);
}

/* Unlocks what the program has left locked. */
static void close_locks(const struct windows *windows)
{
    for (size_t i = 0; i < windows->locks.count; i++) {
        const struct rma_call *c = windows->locks.items[i];
        const MPI_Win win = windows->real[c->window];
        if (win != MPI_WIN_NULL && c->call == MPI_CALL_WIN_LOCK)
            MPI_Win_unlock(c->target, win);
        else if (win != MPI_WIN_NULL && c->call == MPI_CALL_WIN_LOCK_ALL)
            MPI_Win_unlock_all(win);
    }
}

/* A fence may have opened an epoch. It is closed on all windows, so that the members need not agree
 * on which. */
void windows_end_run(struct windows *windows)
{
    close_locks(windows);
    for (uint32_t w = 0; w < windows->count; w++)
        if (windows->real[w] != MPI_WIN_NULL) {
            MPI_Win_fence(MPI_MODE_NOSUCCEED, windows->real[w]);
            MPI_Win_free(&windows->real[w]);
        }
}

/* The one-sided MPI calls of a replay. A process that shares its core must not spin until others
 * have arrived: before a call that waits for all members, it waits in a barrier that sleeps. */

static void nap_for_all(struct executor *executor, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Ibarrier(comm, &request);
    operate_wait(executor, 1, &request, &status);
}

static bool waits_for_all(const struct rma_call *c)
{
    switch (c->call) {
    case MPI_CALL_WIN_CREATE:
    case MPI_CALL_WIN_CREATE_DYNAMIC:
    case MPI_CALL_WIN_ALLOCATE:
    case MPI_CALL_WIN_ALLOCATE_SHARED:
    case MPI_CALL_WIN_FREE:
        return true;
    case MPI_CALL_WIN_FENCE:
        return !(c->assertion & MPI_MODE_NOPRECEDE);
    default:
        return false;
    }
}

/* If processes share cores, tests of the exposure epoch replace the wait. */
static void wait_for_epoch(struct executor *executor, MPI_Win win)
{
    int done = 0;
    if (!executor->naps) {
        MPI_Win_wait(win);
        return;
    }
    while (MPI_Win_test(win, &done) == MPI_SUCCESS && !done)
        executor_nap();
}

/* Waits for the calls of other threads that come before. */
static void wait_for_calls(struct executor *executor, const struct rma_call *c)
{
    const struct windows *windows = executor->windows;
    const _Atomic uint32_t *done = windows->done + (size_t)c->window * windows->threads;
    for (uint32_t t = 0; t < windows->threads; t++)
        while (atomic_load_explicit(&done[t], memory_order_acquire) < c->after[t])
            if (executor->naps)
                executor_nap();
}

#define ORIGIN c->origin, c->count, c->type
#define TARGET c->target, c->place, c->target_count, c->target_type

static void start_operation(const struct rma_call *c, MPI_Win win, MPI_Request *request)
{
    switch (c->call) {
    case MPI_CALL_RPUT:
        MPI_Rput(ORIGIN, TARGET, win, request);
        break;
    case MPI_CALL_RGET:
        MPI_Rget(ORIGIN, TARGET, win, request);
        break;
    case MPI_CALL_RACCUMULATE:
        MPI_Raccumulate(ORIGIN, TARGET, c->operation, win, request);
        break;
    case MPI_CALL_RGET_ACCUMULATE:
        MPI_Rget_accumulate(ORIGIN, c->result, c->count, c->type, TARGET, c->operation, win,
                            request);
        break;
    case MPI_CALL_GET:
        MPI_Get(ORIGIN, TARGET, win);
        break;
    case MPI_CALL_ACCUMULATE:
        MPI_Accumulate(ORIGIN, TARGET, c->operation, win);
        break;
    case MPI_CALL_GET_ACCUMULATE:
        MPI_Get_accumulate(ORIGIN, c->result, c->count, c->type, TARGET, c->operation, win);
        break;
    case MPI_CALL_FETCH_AND_OP:
        MPI_Fetch_and_op(c->origin, c->result, c->type, c->target, 0, c->operation, win);
        break;
    case MPI_CALL_COMPARE_AND_SWAP:
        MPI_Compare_and_swap(c->origin, c->origin, c->result, c->type, c->target, 0, win);
        break;
    default:
        MPI_Put(ORIGIN, TARGET, win);
    }
}

void operate_window(struct executor *executor, const struct op *op)
{
    const struct rma_call *c = op->rma;
    struct windows *windows = executor->windows;
    MPI_Win *win = &windows->real[c->window];
    if (c->after)
        wait_for_calls(executor, c);
    if (executor->naps && waits_for_all(c))
        nap_for_all(executor, c->comm);
    switch (c->call) {
    case MPI_CALL_WIN_CREATE:
    case MPI_CALL_WIN_CREATE_DYNAMIC:
    case MPI_CALL_WIN_ALLOCATE:
    case MPI_CALL_WIN_ALLOCATE_SHARED:
        window_make(executor->windows, c);
        break;
    case MPI_CALL_WIN_FREE:
        MPI_Win_free(win);
        break;
    case MPI_CALL_WIN_FENCE:
        MPI_Win_fence(c->assertion, *win);
        break;
    case MPI_CALL_WIN_LOCK:
        MPI_Win_lock(c->lock_type, c->target, c->assertion, *win);
        break;
    case MPI_CALL_WIN_LOCK_ALL:
        MPI_Win_lock_all(c->assertion, *win);
        break;
    case MPI_CALL_WIN_UNLOCK:
        MPI_Win_unlock(c->target, *win);
        break;
    case MPI_CALL_WIN_UNLOCK_ALL:
        MPI_Win_unlock_all(*win);
        break;
    case MPI_CALL_WIN_FLUSH:
        MPI_Win_flush(c->target, *win);
        break;
    case MPI_CALL_WIN_FLUSH_ALL:
        MPI_Win_flush_all(*win);
        break;
    case MPI_CALL_WIN_FLUSH_LOCAL:
        MPI_Win_flush_local(c->target, *win);
        break;
    case MPI_CALL_WIN_FLUSH_LOCAL_ALL:
        MPI_Win_flush_local_all(*win);
        break;
    case MPI_CALL_WIN_POST:
        MPI_Win_post(c->group, c->assertion, *win);
        break;
    case MPI_CALL_WIN_START:
        MPI_Win_start(c->group, c->assertion, *win);
        break;
    case MPI_CALL_WIN_COMPLETE:
        MPI_Win_complete(*win);
        break;
    case MPI_CALL_WIN_WAIT:
    case MPI_CALL_WIN_TEST:
        wait_for_epoch(executor, *win);
        break;
    default:
        start_operation(c, *win, &executor->slots[op->slot]);
    }
    if (c->after)
        atomic_fetch_add_explicit(&windows->done[(size_t)c->window * windows->threads + c->thread],
                                  1, memory_order_release);
}
