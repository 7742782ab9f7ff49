#include "replay/realtime/windows.h"

#include <stdlib.h>
#include <string.h>

/* Each rank's memory is as large as recorded or, if that is not known, as the largest operation on
 * the window: a replay always reads and writes its beginning. */
static void agree_on_bytes(const struct trace *trace, struct windows *windows)
{
    const struct stream *stream = trace_stream(trace, (uint32_t)trace->processes->rank);
    for (uint32_t i = 0; i < stream->rma_op_count; i++) {
        const struct rma_op *op = &stream->rma_ops[i];
        uint64_t bytes = op->sent > op->received ? op->sent : op->received;
        if ((int64_t)bytes > windows->bytes[op->window])
            windows->bytes[op->window] = (int64_t)bytes;
    }
    processes_max(trace->processes, windows->bytes, windows->count);
    for (uint32_t w = 0; stream->window_bytes && w < windows->count; w++)
        if (stream->window_bytes[w] != UINT64_MAX &&
            (int64_t)stream->window_bytes[w] > windows->bytes[w])
            windows->bytes[w] = (int64_t)stream->window_bytes[w];
}

enum status windows_open(const struct trace *trace, struct arena *arena, struct windows *windows,
                         struct error *error)
{
    memset(windows, 0, sizeof *windows);
    windows->handler = MPI_ERRHANDLER_NULL;
    windows->arena = arena;
    windows->count = trace->definitions->window_count;
    windows->real = malloc(((size_t)windows->count + 1) * sizeof *windows->real);
    windows->bytes = calloc((size_t)windows->count + 1, sizeof *windows->bytes);
    windows->early = calloc((size_t)windows->count + 1, sizeof *windows->early);
    bool room = windows->real && windows->bytes && windows->early;
    enum status status =
        processes_agree_memory(trace->processes, room, "the windows of a replay", error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t w = 0; w < windows->count; w++)
        windows->real[w] = MPI_WIN_NULL;
    agree_on_bytes(trace, windows);
    return STATUS_OK;
}

void windows_close(struct windows *windows)
{
    for (size_t i = 0; i < windows->groups.count; i++)
        MPI_Group_free(&windows->groups.items[i].real);
    if (windows->handler != MPI_ERRHANDLER_NULL && windows->real)
        MPI_Errhandler_free(&windows->handler);
    free(windows->groups.items);
    free(windows->calls.items);
    free(windows->real);
    free(windows->bytes);
    free(windows->early);
    memset(windows, 0, sizeof *windows);
}

/* --- groups ----------------------------------------------------------------------------------- */

static MPI_Group make_group(const struct trace *trace, MPI_Comm comm, uint32_t window,
                            const struct group *group)
{
    MPI_Group all, real = MPI_GROUP_NULL;
    int *ranks = malloc(((size_t)group->count + 1) * sizeof *ranks);
    uint32_t own = trace->definitions->windows[window].own;
    if (!ranks)
        return MPI_GROUP_NULL;
    for (uint32_t i = 0; i < group->count; i++)
        ranks[i] = (int)comm_rank_of(trace->definitions, own, group_rank(group, i));
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, (int)group->count, ranks, &real);
    MPI_Group_free(&all);
    free(ranks);
    return real;
}

MPI_Group windows_group(struct windows *windows, const struct trace *trace, MPI_Comm comm,
                        uint32_t window, uint32_t group)
{
    for (size_t i = 0; i < windows->groups.count; i++)
        if (windows->groups.items[i].window == window && windows->groups.items[i].group == group)
            return windows->groups.items[i].real;
    struct window_group made = {
        window, group, make_group(trace, comm, window, &trace->definitions->groups[group])};
    if (made.real != MPI_GROUP_NULL && !array_push(&windows->groups, made))
        MPI_Group_free(&made.real);
    return made.real;
}

/* --- around a run ----------------------------------------------------------------------------- */

void windows_place_buffers(struct windows *windows, const struct buffers *buffers)
{
    for (size_t i = 0; i < windows->calls.count; i++) {
        struct rma_call *call = windows->calls.items[i];
        call->origin = buffers_address(buffers, call->origin);
        call->result = buffers_address(buffers, call->result);
    }
}

void window_make(struct windows *windows, const struct rma_call *c)
{
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

/* All ranks go in order of definition, so the creations cannot block each other. */
void windows_begin_run(struct windows *windows)
{
    for (uint32_t w = 0; w < windows->count; w++)
        if (windows->early[w])
            window_make(windows, windows->early[w]);
}

void windows_end_run(struct windows *windows)
{
    for (uint32_t w = 0; w < windows->count; w++)
        if (windows->real[w] != MPI_WIN_NULL)
            MPI_Win_free(&windows->real[w]);
}
