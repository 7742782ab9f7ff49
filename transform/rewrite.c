#include "transform/rewrite.h"

#include "trace/calls/records.h"
#include "trace/grow.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_ascending(const uint64_t *times, uint32_t count)
{
    for (uint32_t row = 1; row < count; row++)
        if (times[row] < times[row - 1])
            return false;
    return true;
}

/* Moves a stream to new times, and the rank's other locations in proportion. */
static void move_times(struct trace *trace, struct stream *stream, const uint64_t *times)
{
    assert(!trace->origin && is_ascending(times, stream->count));
    for (uint32_t c = 0; c < trace->carried_count; c++) {
        struct stream *carried = &trace->carried[c];
        if (carried->rank != stream->rank)
            continue;
        warp_times(stream->time, times, stream->count, carried->time, carried->count);
        warp_times(stream->time, times, stream->count, carried->flushes, carried->flush_count);
    }
    warp_times(stream->time, times, stream->count, stream->flushes, stream->flush_count);
    if (stream->count > 0)
        memcpy(stream->time, times, stream->count * sizeof *times);
}

/* UINT64_MAX: more than the clock can count. */
static uint64_t paced(const struct pace *pace, uint64_t measured)
{
    if (pace->period == 0)
        return factor_ticks(pace->factor, measured);
    long double time =
        ldexpl((long double)pace->factor.mantissa, pace->factor.exponent) * (long double)measured;
    time += floorl(time / pace->period + pace->phase) * pace->length;
    return time > (long double)PACE_TICKS_MOST ? UINT64_MAX : (uint64_t)(time + 0.5L);
}

static enum status write_paced(void *data, const struct stream *stream, uint64_t *times,
                               struct error *error)
{
    const struct pace *pace = data;
    uint64_t measured = 0, given = 0; /* computation so far: recorded, new */
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        uint64_t length = row == 0 ? 0 : stream->time[row] - stream->time[row - 1];
        if (row > 0 && marks_computes(pace->marks, path, pace->wanted)) {
            measured += length;
            const uint64_t target = paced(pace, measured);
            if (target > PACE_TICKS_MOST)
                return section_error(error, pace->section, pace->key,
                                     "rank %u would run longer than its clock can count",
                                     stream->rank);
            length = target - given;
            given = target;
        }
        times[row] = row == 0 ? stream->time[0] : times[row - 1] + length;
        path = callpath_after(pace->marks->calltree, stream, row, path);
    }
    return STATUS_OK;
}

enum status rewrite_pace(struct trace *trace, struct stream *stream, const struct pace *pace,
                         struct error *error)
{
    assert(pace->period >= 0 && pace->length >= 0);
    return rewrite_threads(trace, stream, write_paced, (void *)pace, error);
}

bool stream_copy_tables(struct stream *stream, struct arena *arena)
{
    struct {
        void **items;
        size_t size;
    } tables[] = {
        {(void **)&stream->messages, stream->message_count * sizeof *stream->messages},
        {(void **)&stream->collectives, stream->collective_count * sizeof *stream->collectives},
        {(void **)&stream->rma_syncs, stream->rma_sync_count * sizeof *stream->rma_syncs},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        void *copy = arena_memdup(arena, *tables[i].items, tables[i].size);
        if (!copy)
            return false;
        *tables[i].items = copy;
    }
    return true;
}

/* The tables of a stream with other rows, and in another order. */
struct reordered {
    const struct stream *stream;
    uint32_t *places; /* [old row]: new row */
    uint32_t *index;  /* [message, or collective operation]: its new number */
    uint32_t count;   /* numbers given so far */
    struct message *messages;
    struct collective *collectives;
    struct rma_sync *rma_syncs;
};

static uint32_t new_place(const struct reordered *new, uint32_t row)
{
    return row == INDEX_NONE ? INDEX_NONE : new->places[row];
}

/* Numbers the subjects of one kind in the order in which `rows` post them; those that are not
 * posted follow. */
static void number_again(struct reordered *new, enum record_subject subject,
                         const struct stream *rows, uint32_t count)
{
    new->count = 0;
    for (uint32_t i = 0; i < count; i++)
        new->index[i] = INDEX_NONE;
    for (uint32_t row = 0; row < rows->count; row++) {
        struct record record = record_at(rows, row);
        if (record.subject == subject && new->index[record.index] == INDEX_NONE &&
            record_properties((enum event_kind)rows->kind[row]) & RECORD_POSTS)
            new->index[record.index] = new->count++;
    }
    for (uint32_t i = 0; i < count; i++)
        if (new->index[i] == INDEX_NONE)
            new->index[i] = new->count++;
    records_renumber(rows, subject, new->index);
}

static void reorder_tables(struct reordered *new, const struct stream *rows)
{
    const struct stream *old = new->stream;
    number_again(new, RECORD_OF_MESSAGE, rows, old->message_count);
    for (uint32_t i = 0; i < old->message_count; i++) {
        struct message *message = &new->messages[new->index[i]];
        *message = old->messages[i];
        message->post = new_place(new, message->post);
        message->completion = new_place(new, message->completion);
    }
    number_again(new, RECORD_OF_COLLECTIVE, rows, old->collective_count);
    for (uint32_t i = 0; i < old->collective_count; i++) {
        struct collective *collective = &new->collectives[new->index[i]];
        *collective = old->collectives[i];
        collective->begin = new_place(new, collective->begin);
        collective->end = new_place(new, collective->end);
    }
    for (uint32_t i = 0; i < old->rma_sync_count; i++)
        new->rma_syncs[i].row = new_place(new, new->rma_syncs[i].row);
}

bool rewrite_order(struct trace *trace, struct stream *stream, const uint32_t *order,
                   const uint64_t *times)
{
    assert(!trace->origin && is_ascending(times, stream->count));
    struct arena *arena = trace->arena;
    struct stream rows = *stream;
    size_t count = stream->count;
    uint32_t most = stream->message_count > stream->collective_count ? stream->message_count
                                                                     : stream->collective_count;
    struct reordered new = {.stream = stream,
                            .places = malloc((count + 1) * sizeof *new.places),
                            .index = malloc(((size_t)most + 1) * sizeof *new.index)};
    rows.time = arena_memdup(arena, times, count * sizeof *times);
    rows.kind = arena_memdup(arena, stream->kind, count * sizeof *rows.kind);
    rows.arg = arena_memdup(arena, stream->arg, count * sizeof *rows.arg);
    bool done = new.places &&new.index &&rows.time &&rows.kind &&rows.arg &&stream_copy_tables(
        &rows, arena);
    if (done) {
        for (uint32_t place = 0; place < count; place++)
            new.places[order[place]] = place;
        for (uint32_t place = 0; place < count; place++) {
            uint32_t row = order[place];
            rows.kind[place] = stream->kind[row];
            rows.arg[place] =
                event_closes(stream->kind[row]) ? new.places[stream->arg[row]] : stream->arg[row];
        }
        new.messages = rows.messages;
        new.collectives = rows.collectives;
        new.rma_syncs = rows.rma_syncs;
        reorder_tables(&new, &rows);
        *stream = rows;
    }
    free(new.places);
    free(new.index);
    return done;
}

void row_writer_open(struct row_writer *writer, struct trace *trace, struct stream *stream,
                     const bool *cut_messages, const bool *cut_collectives)
{
    assert(!trace->origin);
    struct stream copy = *stream;
    bool copied = stream_copy_tables(&copy, trace->arena);
    *writer = (struct row_writer){
        .trace = trace,
        .stream = stream,
        .messages = copy.messages,
        .collectives = copy.collectives,
        .rma_syncs = copy.rma_syncs,
        .cut_messages = cut_messages,
        .cut_collectives = cut_collectives,
        .old_times = malloc(((size_t)stream->count + 1) * sizeof *writer->old_times)};
    writer->out_of_memory = !copied || !writer->old_times;
}

void row_writer_add(struct row_writer *writer, uint64_t time, enum event_kind kind, uint32_t arg)
{
    uint32_t row = (uint32_t)writer->time.count;
    if (writer->out_of_memory)
        return;
    assert(row == 0 || time >= writer->time.items[row - 1]);
    if (event_closes(kind)) {
        assert(writer->open.count > 0);
        arg = writer->open.items[--writer->open.count];
    }
    if (!array_push(&writer->time, time) || !array_push(&writer->kind, (uint8_t)kind) ||
        !array_push(&writer->arg, arg) || (event_opens(kind) && !array_push(&writer->open, row))) {
        writer->out_of_memory = true;
        return;
    }
    const struct record_tables tables = {writer->messages, writer->collectives, writer->rma_syncs};
    record_set_row(&tables, kind, arg, row);
}

void row_writer_copy(struct row_writer *writer, uint64_t time)
{
    const struct stream *stream = writer->stream;
    assert(writer->next < stream->count);
    row_writer_add(writer, time, (enum event_kind)stream->kind[writer->next],
                   stream->arg[writer->next]);
    row_writer_skip(writer, time);
}

void row_writer_skip(struct row_writer *writer, uint64_t time)
{
    if (writer->out_of_memory)
        return;
    assert(writer->next < writer->stream->count);
    assert(writer->next == 0 || time >= writer->old_times[writer->next - 1]);
    writer->old_times[writer->next++] = time;
}

void row_writer_add_call(struct row_writer *writer, enum mpi_call call, uint64_t enter,
                         uint64_t time, enum event_kind kind, uint32_t arg, uint64_t leave)
{
    uint32_t path = trace_mpi_path_find(writer->trace, row_writer_path(writer), call);
    row_writer_add(writer, enter, EVENT_ENTER, path);
    row_writer_add(writer, time, kind, arg);
    row_writer_add(writer, leave, EVENT_LEAVE, 0);
}

uint32_t row_writer_path(const struct row_writer *writer)
{
    if (writer->open.count == 0)
        return CALLPATH_NONE;
    return writer->arg.items[writer->open.items[writer->open.count - 1]];
}

/* Removes the cut items (NULL: none) from a table of `*count`. False if out of memory. */
static bool drop_items(struct row_writer *writer, enum record_subject subject, const bool *cut,
                       void *items, size_t size, uint32_t *count)
{
    if (!cut)
        return true;
    uint32_t *index = malloc(((size_t)*count + 1) * sizeof *index), kept = 0; /* new by old */
    if (!index)
        return false;
    for (uint32_t i = 0; i < *count; i++) {
        index[i] = cut[i] ? INDEX_NONE : kept++;
        if (index[i] < i)
            memcpy((char *)items + index[i] * size, (char *)items + i * size, size);
    }
    const struct stream written = {
        .count = (uint32_t)writer->arg.count, .kind = writer->kind.items, .arg = writer->arg.items};
    records_renumber(&written, subject, index);
    free(index);
    *count = kept;
    return true;
}

static bool install(struct row_writer *writer)
{
    struct stream *stream = writer->stream;
    struct arena *arena = writer->trace->arena;
    size_t count = writer->time.count;
    uint32_t messages = stream->message_count, collectives = stream->collective_count;
    if (!drop_items(writer, RECORD_OF_MESSAGE, writer->cut_messages, writer->messages,
                    sizeof *writer->messages, &messages) ||
        !drop_items(writer, RECORD_OF_COLLECTIVE, writer->cut_collectives, writer->collectives,
                    sizeof *writer->collectives, &collectives))
        return false;
    uint64_t *time = arena_memdup(arena, writer->time.items, count * sizeof *time);
    uint8_t *kind = arena_memdup(arena, writer->kind.items, count * sizeof *kind);
    uint32_t *arg = arena_memdup(arena, writer->arg.items, count * sizeof *arg);
    if (!time || !kind || !arg)
        return false;
    move_times(writer->trace, stream, writer->old_times);
    stream->time = time;
    stream->kind = kind;
    stream->arg = arg;
    stream->count = (uint32_t)count;
    stream->messages = writer->messages;
    stream->message_count = messages;
    stream->collectives = writer->collectives;
    stream->collective_count = collectives;
    stream->rma_syncs = writer->rma_syncs;
    return true;
}

bool row_writer_close(struct row_writer *writer)
{
    assert(writer->out_of_memory || writer->next == writer->stream->count);
    bool done = !writer->out_of_memory && install(writer);
    free(writer->old_times);
    free(writer->time.items);
    free(writer->kind.items);
    free(writer->arg.items);
    free(writer->open.items);
    return done;
}
