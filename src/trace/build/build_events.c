/* The events of one rank after another. */
#include "trace/build/trace_builder_private.h"

#include "trace/calls/collective_operations.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { ROWS_FIRST = 256 };

static bool resize_column(void *column, uint32_t rows, size_t size)
{
    void **items = column, *grown = realloc(*items, (size_t)rows * size);
    if (grown)
        *items = grown;
    return grown != NULL;
}

static bool resize(struct trace_builder *builder, uint32_t rows)
{
    struct stream *stream = builder->stream;
    if (!resize_column(&stream->time, rows, sizeof *stream->time) ||
        !resize_column(&stream->kind, rows, sizeof *stream->kind) ||
        !resize_column(&stream->arg, rows, sizeof *stream->arg))
        return false;
    builder->row_capacity = rows;
    return true;
}

static void build_row(struct trace_builder *builder, enum event_kind kind, uint32_t arg)
{
    struct stream *stream = builder->stream;
    uint32_t capacity = builder->row_capacity;
    if (builder->out_of_memory)
        return;
    if (stream->count == capacity &&
        (capacity > UINT32_MAX / 2 || !resize(builder, capacity ? capacity * 2 : ROWS_FIRST))) {
        builder->out_of_memory = true;
        return;
    }
    stream->time[stream->count] = (uint64_t)llround(builder->now);
    stream->kind[stream->count] = (uint8_t)kind;
    stream->arg[stream->count] = arg;
    stream->count++;
}

static void build_enter(struct trace_builder *builder, enum event_kind kind, uint32_t region)
{
    struct trace *trace = builder->trace;
    uint32_t parent = builder->frames.count > 0
                          ? builder->frames.items[builder->frames.count - 1].path
                          : CALLPATH_NONE;
    uint32_t path = calltree_child(&trace->calltree, parent, region);
    struct builder_frame frame = {builder->stream->count, path};
    if (path == CALLPATH_NONE || !array_push(&builder->frames, frame))
        builder->out_of_memory = true;
    build_row(builder, kind, path);
}

static void build_leave(struct trace_builder *builder, enum event_kind kind)
{
    if (builder->out_of_memory)
        return;
    assert(builder->frames.count > 0);
    builder->frames.count--;
    build_row(builder, kind, builder->frames.items[builder->frames.count].enter);
}

static void enter_call(struct trace_builder *builder, enum mpi_call call)
{
    assert(call > MPI_CALL_NONE && call < MPI_CALL_COUNT);
    builder->used[call] = true;
    build_enter(builder, EVENT_ENTER, mpi_region(builder, call));
}

static void leave_call(struct trace_builder *builder)
{
    build_leave(builder, EVENT_LEAVE);
}

void builder_surround(struct trace_builder *builder, const uint32_t *regions, uint32_t count,
                      bool bare)
{
    assert(builder->begun == 0);
    builder->bare = bare;
    builder->around = regions;
    builder->around_count = count;
}

void builder_begin_rank(struct trace_builder *builder, double startup)
{
    assert(builder->begun < builder->trace->owned_count);
    builder->stream = &builder->trace->streams[builder->begun++];
    builder->row_capacity = 0;
    builder->now = 0;
    builder->frames.count = builder->messages.count = builder->collectives.count = 0;
    if (builder->comm_ranks)
        for (size_t c = 0; c < builder->comms.count; c++)
            builder->comm_ranks[c] = 0;
    if (!builder->bare)
        build_enter(builder, EVENT_PROGRAM_BEGIN, program_region(builder));
    for (uint32_t i = 0; i < builder->around_count; i++)
        builder_enter(builder, builder->around[i]);
    enter_call(builder, MPI_CALL_INIT);
    builder_compute(builder, startup);
    leave_call(builder);
}

void builder_skip_rank(struct trace_builder *builder)
{
    assert(builder->begun < builder->trace->owned_count);
    builder->begun++;
}

/* Gives the arena a table of the size that it has come to. */
static void *adopt_array(struct trace_builder *builder, void *items, size_t bytes)
{
    void *fitted = items && bytes ? realloc(items, bytes) : items;
    void *adopted = arena_adopt(builder->trace->arena, fitted ? fitted : items);
    builder->out_of_memory |= items && !adopted;
    return adopted;
}

static void adopt_columns(struct trace_builder *builder)
{
    struct stream *stream = builder->stream;
    size_t rows = stream->count;
    stream->time = adopt_array(builder, stream->time, rows * sizeof *stream->time);
    stream->kind = adopt_array(builder, stream->kind, rows * sizeof *stream->kind);
    stream->arg = adopt_array(builder, stream->arg, rows * sizeof *stream->arg);
}

static void adopt_tables(struct trace_builder *builder)
{
    struct stream *stream = builder->stream;
    struct arena *arena = builder->trace->arena;
    stream->message_count = (uint32_t)builder->messages.count;
    stream->collective_count = (uint32_t)builder->collectives.count;
    stream->messages = arena_memdup(arena, builder->messages.items,
                                    builder->messages.count * sizeof *stream->messages);
    stream->collectives = arena_memdup(arena, builder->collectives.items,
                                       builder->collectives.count * sizeof *stream->collectives);
    if (!stream->messages || !stream->collectives) {
        stream->message_count = stream->collective_count = 0;
        builder->out_of_memory = true;
    }
}

void builder_end_rank(struct trace_builder *builder, double shutdown)
{
    enter_call(builder, MPI_CALL_FINALIZE);
    leave_call(builder);
    builder_compute(builder, shutdown);
    for (uint32_t i = 0; i < builder->around_count; i++)
        builder_leave(builder);
    if (!builder->bare)
        build_leave(builder, EVENT_PROGRAM_END);
    assert(builder->out_of_memory || builder->frames.count == 0);
    adopt_columns(builder);
    adopt_tables(builder);
    builder->stream = NULL;
}

void builder_compute(struct trace_builder *builder, double seconds)
{
    assert(seconds >= 0);
    builder->now += seconds * BUILDER_TICKS_PER_SECOND;
}

void builder_enter(struct trace_builder *builder, uint32_t region)
{
    assert(region < builder->own_regions);
    build_enter(builder, EVENT_ENTER, region);
}

void builder_leave(struct trace_builder *builder)
{
    build_leave(builder, EVENT_LEAVE);
}

void builder_file(struct trace_builder *builder, bool writes, double seconds)
{
    builder->used_file[writes] = true;
    build_enter(builder, EVENT_ENTER, file_region(builder, writes));
    builder_compute(builder, seconds);
    build_leave(builder, EVENT_LEAVE);
}

uint64_t builder_events(const struct trace_builder *builder)
{
    return builder->stream ? builder->stream->count : 0;
}

/* Adds a message end, and the row of its posting. Returns its number. */
static uint32_t build_message(struct trace_builder *builder, enum event_kind kind,
                              enum mpi_call call, uint32_t comm, const struct builder_end *end)
{
    bool sends = kind == EVENT_SEND || kind == EVENT_ISEND;
    bool blocks = kind == EVENT_SEND || kind == EVENT_RECV;
    uint32_t row = builder->stream->count, index = (uint32_t)builder->messages.count;
    unsigned flags = (sends ? MESSAGE_SEND : 0u) | (blocks ? 0u : MESSAGE_NONBLOCKING);
    if (sends)
        flags |= (unsigned)send_mode_of_call(call) * MESSAGE_SEND_MODE;
    struct message message = {.bytes = end->bytes,
                              .comm = comm,
                              .peer = end->peer,
                              .tag = end->tag,
                              .post = row,
                              .completion = blocks ? row : INDEX_NONE,
                              .partner = INDEX_NONE,
                              .flags = (uint16_t)flags,
                              .recorded = index};
    message.partner_rank =
        comm_world_rank(builder->trace->definitions, comm, builder->stream->rank, end->peer);
    assert(message.partner_rank != INDEX_NONE);
    if (!array_push(&builder->messages, message))
        builder->out_of_memory = true;
    build_row(builder, kind, index);
    return index;
}

void builder_send(struct trace_builder *builder, enum mpi_call call, uint32_t comm,
                  const struct builder_end *end)
{
    enter_call(builder, call);
    if (end)
        build_message(builder, EVENT_SEND, call, comm, end);
    leave_call(builder);
}

void builder_receive(struct trace_builder *builder, uint32_t comm, const struct builder_end *end)
{
    enter_call(builder, MPI_CALL_RECV);
    if (end)
        build_message(builder, EVENT_RECV, MPI_CALL_RECV, comm, end);
    leave_call(builder);
}

void builder_sendrecv(struct trace_builder *builder, uint32_t comm, const struct builder_end *send,
                      const struct builder_end *receive)
{
    enter_call(builder, MPI_CALL_SENDRECV);
    if (send)
        build_message(builder, EVENT_SEND, MPI_CALL_SENDRECV, comm, send);
    if (receive)
        build_message(builder, EVENT_RECV, MPI_CALL_SENDRECV, comm, receive);
    leave_call(builder);
}

static uint32_t post_message(struct trace_builder *builder, enum event_kind kind,
                             enum mpi_call call, uint32_t comm, const struct builder_end *end)
{
    enter_call(builder, call);
    uint32_t index = end ? build_message(builder, kind, call, comm, end) : INDEX_NONE;
    leave_call(builder);
    return index;
}

uint32_t builder_isend(struct trace_builder *builder, enum mpi_call call, uint32_t comm,
                       const struct builder_end *end)
{
    return post_message(builder, EVENT_ISEND, call, comm, end);
}

uint32_t builder_ireceive(struct trace_builder *builder, uint32_t comm,
                          const struct builder_end *end)
{
    return post_message(builder, EVENT_IRECV_REQUEST, MPI_CALL_IRECV, comm, end);
}

static void complete_request(struct trace_builder *builder, uint32_t request)
{
    uint32_t row = builder->stream->count, index = request & ~COLLECTIVE_BIT;
    if (request & COLLECTIVE_BIT) {
        assert(index < builder->collectives.count);
        builder->collectives.items[index].end = row;
        build_row(builder, EVENT_NBC_COMPLETE, index);
        return;
    }
    assert(index < builder->messages.count);
    struct message *message = &builder->messages.items[index];
    assert(message->completion == INDEX_NONE);
    message->completion = row;
    build_row(builder, message->flags & MESSAGE_SEND ? EVENT_ISEND_COMPLETE : EVENT_IRECV, index);
}

void builder_wait(struct trace_builder *builder, enum mpi_call call, const uint32_t *requests,
                  uint32_t count)
{
    enter_call(builder, call);
    for (uint32_t i = 0; i < count && !builder->out_of_memory; i++)
        complete_request(builder, requests[i]);
    leave_call(builder);
}

/* The rank of the current rank in a communicator of which it is a member; found once per rank. */
static uint32_t rank_in(struct trace_builder *builder, uint32_t comm)
{
    const struct definitions *definitions = builder->trace->definitions;
    if (comm == BUILDER_WORLD)
        return builder->stream->rank;
    uint32_t *known = &builder->comm_ranks[comm];
    if (*known == 0)
        *known = comm_rank_of(definitions, comm, builder->stream->rank) + 2;
    return *known - 2;
}

static uint64_t sum(const uint64_t *values, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

/* Sets the bytes by the operation's rule, and the vectors. */
static void set_bytes(struct trace_builder *builder, const struct builder_collective *call,
                      struct collective *collective)
{
    uint32_t size =
        comm_size(builder->trace->definitions, collective->comm, builder->stream->rank, false);
    uint32_t me = rank_in(builder, collective->comm);
    collective_set_block(collective, call->bytes, size, me);
    if (call->send_counts)
        collective->sent = sum(call->send_counts, size);
    if (call->receive_counts) /* of a scattered vector each member sends this one's part */
        collective->received = collective_op_scatters_vector(collective->op)
                                   ? size * call->receive_counts[me]
                                   : sum(call->receive_counts, size);
    collective->send_counts = builder_vector(builder, call->send_counts, size);
    collective->receive_counts = builder_vector(builder, call->receive_counts, size);
}

static uint32_t ranks_vector(struct trace_builder *builder, const uint32_t *ranks, uint32_t count)
{
    uint64_t *wide = malloc(((size_t)count + 1) * sizeof *wide);
    uint32_t vector = INDEX_NONE;
    if (!wide) {
        builder->out_of_memory = true;
        return vector;
    }
    for (uint32_t i = 0; i < count; i++)
        wide[i] = ranks[i];
    vector = builder_vector(builder, wide, count);
    free(wide);
    return vector;
}

static void set_neighbour_bytes(struct trace_builder *builder,
                                const struct builder_collective *call,
                                struct collective *collective)
{
    collective->flags |= COLLECTIVE_NEIGHBOUR;
    collective->sent = call->bytes * call->destination_count;
    collective->received = call->bytes * call->source_count;
    collective->destinations = ranks_vector(builder, call->destinations, call->destination_count);
    collective->sources = ranks_vector(builder, call->sources, call->source_count);
}

uint32_t builder_collective(struct trace_builder *builder, const struct builder_collective *call)
{
    bool frees = call->call == MPI_CALL_COMM_FREE;
    enum collective_op op = mpi_call_infos[call->call].operation;
    enum mpi_class class = mpi_call_infos[call->call].class;
    bool nonblocking = class == MPI_CLASS_ICOLLECTIVE || class == MPI_CLASS_INEIGHBOUR;
    uint32_t index = (uint32_t)builder->collectives.count;
    assert(op != COLLECTIVE_OP_COUNT);
    enter_call(builder, call->call);
    struct collective collective = {.comm = frees ? call->made : call->comm,
                                    .root = collective_op_is_rooted(op) ? call->root : ROOT_NONE,
                                    .begin = builder->stream->count,
                                    .end = INDEX_NONE,
                                    .instance = INDEX_NONE,
                                    .op = (uint8_t)op,
                                    .flags = (uint8_t)((nonblocking ? COLLECTIVE_NONBLOCKING : 0) |
                                                       (frees ? COLLECTIVE_LOCAL : 0)),
                                    .send_counts = INDEX_NONE,
                                    .receive_counts = INDEX_NONE,
                                    .recorded = index,
                                    .window = INDEX_NONE,
                                    .destinations = INDEX_NONE,
                                    .sources = INDEX_NONE};
    if (mpi_class_has_neighbours(class))
        set_neighbour_bytes(builder, call, &collective);
    else
        set_bytes(builder, call, &collective);
    build_row(builder, nonblocking ? EVENT_NBC_REQUEST : EVENT_COLLECTIVE_BEGIN, index);
    if (call->made != INDEX_NONE)
        build_row(builder, frees ? EVENT_COMM_DESTROY : EVENT_COMM_CREATE, call->made);
    if (!nonblocking) {
        collective.end = builder->stream->count;
        build_row(builder, EVENT_COLLECTIVE_END, index);
    }
    if (!array_push(&builder->collectives, collective))
        builder->out_of_memory = true;
    leave_call(builder);
    return nonblocking ? COLLECTIVE_BIT | index : INDEX_NONE;
}
