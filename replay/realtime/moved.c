#include "replay/realtime/moved.h"

#include "base/mpi/exchange.h"
#include "base/mpi/handles.h"
#include "trace/environment.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Collective: if `complete`, sends the bytes in `full` to process `to`, and receives one such block
 * (free it). Empties `full` in any case. */
static enum status move_block(const struct moved *moved, int to, struct bytes *full, bool complete,
                              struct received *received, struct error *error)
{
    struct exchange exchange = exchange_open(moved->processes, 1, "ranks on other places");
    *exchange_buffer(&exchange, to) = *full;
    *full = (struct bytes){0};
    exchange_check(&exchange, complete);
    return exchange_run(&exchange, received, error);
}

/* Collective: the same for `size` bytes at `data`. The received bytes are written to `place`. */
static enum status move_bytes(const struct moved *moved, int to, const void *data, size_t size,
                              void *place, struct error *error)
{
    struct bytes full = {0};
    struct received received;
    bool complete = bytes_put(&full, data, size);
    enum status status = move_block(moved, to, &full, complete, &received, error);
    if (received.count > 0)
        memcpy(place, received.items, received.count);
    free(received.items);
    return status;
}

enum status moved_exchange(const struct moved *moved, void *data, size_t size, struct error *error)
{
    return move_bytes(moved, moved->place, data, size, data, error);
}

/* Packs the parts of a stream into a block, or unpacks them, in the same order. */
struct stream_packing {
    struct bytes *into; /* NULL: unpack */
    const char *next;
    struct arena *arena; /* owns the unpacked data */
    bool no_memory;
};

/* Returns the data's new address. */
static void *pack_or_unpack(struct stream_packing *packing, void *data, size_t size)
{
    if (packing->no_memory)
        return data;
    if (packing->into) {
        packing->no_memory = size > 0 && !bytes_put(packing->into, data, size);
        return data;
    }
    void *taken = arena_alloc(packing->arena, size + 1);
    packing->no_memory = !taken;
    if (taken && size > 0)
        memcpy(taken, packing->next, size);
    packing->next += size;
    return taken;
}

#define PACK(array, count) (array) = pack_or_unpack(packing, array, (count) * sizeof *(array))

/* The counts of `stream` are already set. */
static void pack_or_unpack_arrays(struct stream_packing *packing, struct stream *stream,
                                  const struct definitions *definitions)
{
    size_t partners = 0;
    PACK(stream->time, stream->count);
    PACK(stream->kind, stream->count);
    PACK(stream->arg, stream->count);
    PACK(stream->messages, stream->message_count);
    PACK(stream->collectives, stream->collective_count);
    PACK(stream->rma_ops, stream->rma_op_count);
    PACK(stream->rma_syncs, stream->rma_sync_count);
    PACK(stream->flushes, stream->flush_count);
    PACK(stream->others, stream->other_count);
    if (stream->window_bytes)
        PACK(stream->window_bytes, definitions->window_count);
    for (uint32_t i = 0; i < stream->rma_sync_count && !packing->no_memory; i++) {
        const struct rma_sync *sync = &stream->rma_syncs[i];
        if (sync->partners != INDEX_NONE && sync->kind < RMA_SYNC_GROUP &&
            sync->partners + definitions->groups[sync->group].count > partners)
            partners = sync->partners + definitions->groups[sync->group].count;
    }
    if (stream->rma_partners)
        PACK(stream->rma_partners, partners);
}

/* Collective: receives the events of this process's rank into moved->trace. */
static enum status fetch_stream(struct moved *moved, const struct trace *trace, struct error *error)
{
    struct stream *stream = arena_alloc(moved->trace->arena, sizeof *stream);
    struct stream own = trace->streams[0];
    struct bytes full = {0};
    struct stream_packing packing = {.into = &full, .no_memory = !stream};
    struct received received;
    packing.no_memory = packing.no_memory || !bytes_put(&full, &own, sizeof own);
    pack_or_unpack_arrays(&packing, &own, trace->definitions);
    enum status status =
        move_block(moved, moved->place, &full, !packing.no_memory, &received, error);
    if (status != STATUS_OK)
        return status;
    memcpy(stream, received.items, sizeof *stream); /* its pointers only say which arrays exist */
    packing = (struct stream_packing){.next = (char *)received.items + sizeof *stream,
                                      .arena = moved->trace->arena};
    pack_or_unpack_arrays(&packing, stream, trace->definitions);
    free(received.items);
    moved->trace->streams = stream;
    return packing.no_memory ? error_memory(error, "ranks on other places") : STATUS_OK;
}

static bool stays(const struct trace *trace)
{
    const uint32_t *place = trace->environment ? trace->environment->place : NULL;
    uint32_t rank = 0;
    while (place && rank < trace->rank_count && place[rank] == rank)
        rank++;
    return !place || rank == trace->rank_count;
}

static struct trace *make_trace(const struct trace *trace, struct moved *moved)
{
    struct trace *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *trace;
    copy->arena = arena_create();
    copy->borrows = true;
    copy->origin = NULL;
    copy->processes = &moved->by_rank;
    copy->first_rank = (uint32_t)moved->rank;
    copy->carried_count = 0;
    if (copy->arena)
        return copy;
    free(copy);
    return NULL;
}

/* Collective. */
static enum status number_by_rank(const struct trace *trace, struct moved *moved,
                                  struct error *error)
{
    const uint32_t *place = trace->environment->place;
    int own = trace->processes->rank;
    MPI_Comm comm;
    moved->processes = trace->processes;
    moved->place = (int)place[own];
    while (place[moved->rank] != (uint32_t)own)
        moved->rank++;
    PMPI_Comm_split(processes_comm(trace->processes), 0, moved->rank, &comm);
    enum status status = processes_open(&moved->by_rank, comm, error);
    moved->open = status == STATUS_OK;
    PMPI_Comm_free(&comm);
    return status;
}

enum status moved_open(const struct trace *trace, struct moved **result, struct error *error)
{
    *result = NULL;
    if (stays(trace))
        return STATUS_OK;
    assert(trace->owned_count == 1);
    struct moved *moved = calloc(1, sizeof *moved);
    enum status status =
        processes_agree_memory(trace->processes, moved, "ranks on other places", error);
    if (status == STATUS_OK)
        status = number_by_rank(trace, moved, error);
    if (status == STATUS_OK) {
        moved->trace = make_trace(trace, moved);
        if (!moved->trace)
            status = error_memory(error, "ranks on other places");
        status = processes_agree(trace->processes, status, error);
    }
    if (status == STATUS_OK) {
        status = fetch_stream(moved, trace, error);
        if (status == STATUS_OK)
            moved->view = trace_view(moved->trace, error);
        if (status == STATUS_OK && !moved->view)
            status = STATUS_ENVIRONMENT;
        status = processes_agree(trace->processes, status, error);
    }
    if (status == STATUS_OK)
        *result = moved;
    else
        moved_close(moved);
    return status;
}

void moved_close(struct moved *moved)
{
    if (!moved)
        return;
    trace_destroy(moved->view);
    trace_destroy(moved->trace);
    if (moved->open)
        processes_close(&moved->by_rank);
    free(moved);
}

enum status moved_return(const struct moved *moved, struct trace *view, struct error *error)
{
    assert(moved->view->owned_count == 1);
    const struct stream *ran = &moved->view->streams[0];
    return move_bytes(moved, moved->rank, ran->time, ran->count * sizeof *ran->time,
                      view->streams[0].time, error);
}
