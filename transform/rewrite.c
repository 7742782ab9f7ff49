#include "transform/rewrite.h"

#include "trace/warp.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void rewrite_times(struct trace *trace, struct stream *stream, const uint64_t *times)
{
    warp_times(stream->time, times, stream->count, stream->flushes, stream->flush_count);
    for (uint32_t c = 0; c < trace->carried_count; c++) {
        struct stream *carried = &trace->carried[c];
        if (carried->rank != stream->rank)
            continue;
        warp_times(stream->time, times, stream->count, carried->time, carried->count);
        warp_times(stream->time, times, stream->count, carried->flushes, carried->flush_count);
    }
    if (stream->count > 0)
        memcpy(stream->time, times, stream->count * sizeof *times);
}

void row_writer_open(struct row_writer *writer, struct trace *trace, struct stream *stream)
{
    memset(writer, 0, sizeof *writer);
    writer->trace = trace;
    writer->stream = stream;
    writer->messages = arena_memdup(trace->arena, stream->messages,
                                    stream->message_count * sizeof *stream->messages);
    writer->collectives = arena_memdup(trace->arena, stream->collectives,
                                       stream->collective_count * sizeof *stream->collectives);
    writer->rma_syncs = arena_memdup(trace->arena, stream->rma_syncs,
                                     stream->rma_sync_count * sizeof *stream->rma_syncs);
    writer->old_times = malloc(((size_t)stream->count + 1) * sizeof *writer->old_times);
    writer->no_memory =
        !writer->messages || !writer->collectives || !writer->rma_syncs || !writer->old_times;
}

static void note_message(struct row_writer *writer, enum event_kind kind, uint32_t index,
                         uint32_t row)
{
    struct message *message = &writer->messages[index];
    if (kind != EVENT_ISEND_COMPLETE && kind != EVENT_IRECV)
        message->post = row;
    if (kind != EVENT_ISEND && kind != EVENT_IRECV_REQUEST)
        message->completion = row;
}

/* Tables that name the row of an event. */
static void note_row(struct row_writer *writer, enum event_kind kind, uint32_t arg, uint32_t row)
{
    switch (kind) {
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_ISEND:
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV_REQUEST:
    case EVENT_IRECV:
        note_message(writer, kind, arg, row);
        break;
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_NBC_REQUEST:
        writer->collectives[arg].begin = row;
        break;
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_COMPLETE:
        writer->collectives[arg].end = row;
        break;
    case EVENT_RMA_SYNC:
        writer->rma_syncs[arg].row = row;
        break;
    default:
        break;
    }
}

void row_writer_add(struct row_writer *writer, uint64_t time, enum event_kind kind, uint32_t arg)
{
    uint32_t row = (uint32_t)writer->time.count;
    if (writer->no_memory)
        return;
    assert(row == 0 || time >= writer->time.items[row - 1]);
    if (kind == EVENT_LEAVE || kind == EVENT_PROGRAM_END) {
        assert(writer->open.count > 0);
        arg = writer->open.items[--writer->open.count];
    }
    if (!array_push(&writer->time, time) || !array_push(&writer->kind, (uint8_t)kind) ||
        !array_push(&writer->arg, arg) ||
        ((kind == EVENT_ENTER || kind == EVENT_PROGRAM_BEGIN) && !array_push(&writer->open, row))) {
        writer->no_memory = true;
        return;
    }
    note_row(writer, kind, arg, row);
}

void row_writer_copy(struct row_writer *writer, uint64_t time)
{
    const struct stream *stream = writer->stream;
    row_writer_add(writer, time, (enum event_kind)stream->kind[writer->next],
                   stream->arg[writer->next]);
    row_writer_skip(writer, time);
}

void row_writer_skip(struct row_writer *writer, uint64_t time)
{
    if (!writer->no_memory)
        writer->old_times[writer->next++] = time;
}

uint32_t row_writer_path(const struct row_writer *writer)
{
    if (writer->open.count == 0)
        return CALLPATH_NONE;
    return writer->arg.items[writer->open.items[writer->open.count - 1]];
}

static bool install(struct row_writer *writer)
{
    struct stream *stream = writer->stream;
    struct arena *arena = writer->trace->arena;
    size_t count = writer->time.count;
    uint64_t *time = arena_memdup(arena, writer->time.items, count * sizeof *time);
    uint8_t *kind = arena_memdup(arena, writer->kind.items, count * sizeof *kind);
    uint32_t *arg = arena_memdup(arena, writer->arg.items, count * sizeof *arg);
    if (!time || !kind || !arg)
        return false;
    rewrite_times(writer->trace, stream, writer->old_times);
    stream->time = time;
    stream->kind = kind;
    stream->arg = arg;
    stream->count = (uint32_t)count;
    stream->messages = writer->messages;
    stream->collectives = writer->collectives;
    stream->rma_syncs = writer->rma_syncs;
    return true;
}

bool row_writer_close(struct row_writer *writer)
{
    assert(writer->no_memory || writer->next == writer->stream->count);
    bool done = !writer->no_memory && install(writer);
    free(writer->old_times);
    free(writer->time.items);
    free(writer->kind.items);
    free(writer->arg.items);
    free(writer->open.items);
    return done;
}
