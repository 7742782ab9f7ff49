#include "trace/load/slices.h"

#include "trace/calls/records.h"
#include "trace/channel.h"
#include "trace/load/load_builder.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 4096 }; /* of a rank */

struct trace_slices {
    struct trace *trace; /* the slice; its call tree has names for programs, that of `source` not */
    struct definition_ids ids;
    struct event_source source;
    struct calltree paths;
    struct event_reader *readers; /* [owned rank] */
    bool *ended;                  /* [owned rank] */
    uint32_t rows;                /* of a rank */
    uint64_t end;                 /* of the slice before */
};

/* The table to which the argument of a row refers: 0 messages, 1 collective operations, -1 none. */
static int table_of(uint8_t kind)
{
    switch (kind) {
    case EVENT_SEND:
    case EVENT_ISEND:
    case EVENT_RECV:
    case EVENT_IRECV_REQUEST:
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV:
        return 0;
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_REQUEST:
    case EVENT_NBC_COMPLETE:
        return 1;
    default:
        return -1;
    }
}

/* Replaces the marks of used items (places[i] != 0) by their new places. Returns their number. */
static uint32_t number_places(uint32_t *places, size_t count)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        places[i] = places[i] ? next++ : INDEX_NONE;
    return next;
}

static bool count_dropped(struct map *dropped, uint64_t channel)
{
    uint32_t *count = map_at(dropped, channel, 0);
    if (count)
        ++*count;
    return count != NULL;
}

/* Counts the messages and operations that are dropped, by channel. */
static bool count_all_dropped(struct stream_builder *b, uint32_t *const places[2])
{
    bool allocated = true;
    for (size_t i = 0; i < b->messages.count && allocated; i++)
        if (places[0][i] == INDEX_NONE && b->messages.items[i].partner_rank != INDEX_NONE &&
            !(b->messages.items[i].flags & MESSAGE_CANCELLED))
            allocated =
                count_dropped(&b->dropped, channel_of_message(b->stream, &b->messages.items[i]));
    for (size_t i = 0; i < b->collectives.count && allocated; i++)
        if (places[1][i] == INDEX_NONE)
            allocated = count_dropped(&b->dropped, channel_of_operation(&b->collectives.items[i]));
    return allocated;
}

/* Drops the messages and collective operations that no row and no open request refers to. False
 * when memory is out. */
static bool drop_unused(struct stream_builder *b)
{
    uint32_t *places[2] = {calloc(b->messages.count + 1, sizeof **places),
                           calloc(b->collectives.count + 1, sizeof **places)};
    bool allocated = places[0] && places[1];
    for (uint32_t row = 0; allocated && row < b->count; row++)
        if (table_of(b->kind[row]) >= 0)
            places[table_of(b->kind[row])][b->arg[row]] = 1;
    for (size_t i = 0; allocated && i < b->requests.slots; i++) {
        uint32_t value = b->requests.values[i];
        if (value != MAP_NONE)
            places[(value & COLLECTIVE_BIT) != 0][value & ~COLLECTIVE_BIT] = 1;
    }
    if (allocated && b->open_collective != INDEX_NONE)
        places[1][b->open_collective] = 1;
    if (allocated) {
        uint32_t messages = number_places(places[0], b->messages.count);
        uint32_t collectives = number_places(places[1], b->collectives.count);
        allocated = count_all_dropped(b, places);
        for (size_t i = 0; i < b->messages.count; i++)
            if (places[0][i] != INDEX_NONE)
                b->messages.items[places[0][i]] = b->messages.items[i];
        for (size_t i = 0; i < b->collectives.count; i++)
            if (places[1][i] != INDEX_NONE)
                b->collectives.items[places[1][i]] = b->collectives.items[i];
        b->messages.count = messages;
        b->collectives.count = collectives;
        for (uint32_t row = 0; row < b->count; row++)
            if (table_of(b->kind[row]) >= 0)
                b->arg[row] = places[table_of(b->kind[row])][b->arg[row]];
        for (size_t i = 0; i < b->requests.slots; i++) {
            uint32_t *value = &b->requests.values[i];
            if (*value != MAP_NONE)
                *value = (*value & COLLECTIVE_BIT) |
                         places[(*value & COLLECTIVE_BIT) != 0][*value & ~COLLECTIVE_BIT];
        }
        if (b->open_collective != INDEX_NONE)
            b->open_collective = places[1][b->open_collective];
    }
    free(places[0]);
    free(places[1]);
    return allocated;
}

/* Forgets matched probes whose rows have been dropped, and shifts the rows of others. */
static bool shift_probes(struct stream_builder *b, uint32_t first, uint32_t shift)
{
    struct map kept = {0};
    bool allocated = true;
    for (size_t i = 0; i < b->probes.slots && allocated; i++)
        if (b->probes.values[i] != MAP_NONE && b->probes.values[i] >= first)
            allocated = map_set(&kept, b->probes.keys[i], b->probes.values[i] - shift);
    map_clear(&b->probes);
    b->probes = kept;
    return allocated;
}

typedef ARRAY(uint32_t) row_list;

/* The ENTERs before row `first` of regions that are open there, innermost first. */
static bool list_open(const struct stream_builder *b, uint32_t first, row_list *enters)
{
    bool allocated = true;
    for (uint32_t row = first; row < b->count && allocated; row++)
        if (event_closes(b->kind[row]) && b->arg[row] < first)
            allocated = array_push(enters, b->arg[row]);
    for (size_t i = b->stack.count; i-- > 0 && allocated;)
        if (b->stack.items[i].enter < first)
            allocated = array_push(enters, b->stack.items[i].enter);
    return allocated;
}

/* The new row of an ENTER. */
static uint32_t row_after_drop(const row_list *enters, uint32_t first, uint32_t enter)
{
    uint32_t open = (uint32_t)enters->count, i = 0;
    if (enter >= first)
        return enter - first + open;
    while (enters->items[i] != enter)
        i++;
    return open - 1 - i;
}

/* Sets the rows of messages and operations, after rows have moved. */
static void renumber_rows(struct stream_builder *b)
{
    for (size_t i = 0; i < b->messages.count; i++)
        b->messages.items[i].post = b->messages.items[i].completion = INDEX_NONE;
    for (size_t i = 0; i < b->collectives.count; i++)
        b->collectives.items[i].begin = b->collectives.items[i].end = INDEX_NONE;
    const struct record_tables tables = {b->messages.items, b->collectives.items,
                                         b->rma_syncs.items};
    for (uint32_t row = 0; row < b->count; row++)
        record_set_row(&tables, (enum event_kind)b->kind[row], b->arg[row], row);
}

/* Drops the rows before a time, except the ENTERs of regions that are open at that time. */
static bool drop_before(struct stream_builder *b, uint64_t from)
{
    struct stream rows = {.count = b->count, .time = b->time};
    uint32_t first = stream_row_at(&rows, from);
    row_list enters = {0};
    bool allocated = list_open(b, first, &enters);
    uint32_t open = (uint32_t)enters.count;
    b->polls.calls = 0;
    if (allocated && first > open) {
        for (uint32_t row = first; row < b->count; row++)
            if (event_closes(b->kind[row]))
                b->arg[row] = row_after_drop(&enters, first, b->arg[row]);
            else if (!event_opens(b->kind[row]) && b->kind[row] != EVENT_BUFFER_FLUSH &&
                     b->kind[row] != EVENT_POLLS && table_of(b->kind[row]) < 0)
                b->kind[row] = EVENT_OTHER;
        for (size_t i = 0; i < b->stack.count; i++)
            b->stack.items[i].enter = row_after_drop(&enters, first, b->stack.items[i].enter);
        for (uint32_t i = 0; i < open; i++) { /* the new row is never after the old one */
            uint32_t enter = enters.items[open - 1 - i];
            b->time[i] = b->time[enter];
            b->kind[i] = b->kind[enter];
            b->arg[i] = b->arg[enter];
        }
        uint32_t kept = b->count - first;
        memmove(b->time + open, b->time + first, kept * sizeof *b->time);
        memmove(b->kind + open, b->kind + first, kept * sizeof *b->kind);
        memmove(b->arg + open, b->arg + first, kept * sizeof *b->arg);
        b->count = open + kept;
        b->others.count = b->rma_ops.count = b->rma_syncs.count = 0;
        allocated = shift_probes(b, first, first - open) && drop_unused(b);
        if (allocated)
            renumber_rows(b);
        if (allocated && b->open_collective != INDEX_NONE) {
            uint32_t *begin = &b->collectives.items[b->open_collective].begin;
            *begin = *begin != INDEX_NONE ? *begin : open;
        }
    }
    free(enters.items);
    return allocated;
}

static enum status read_rank_on(struct trace_slices *slices, uint32_t s, struct error *error)
{
    struct stream_builder *b = slices->readers[s].builder;
    enum status status = STATUS_OK;
    b->error = error;
    while (!slices->ended[s] && status == STATUS_OK &&
           (b->count < slices->rows || b->time[b->count - 1] <= slices->end)) {
        uint64_t allocated = b->count < slices->rows ? slices->rows - b->count : 0;
        status =
            event_reader_read(&slices->readers[s], allocated > LEAST_ROWS ? allocated : LEAST_ROWS,
                              &slices->ended[s]);
        if (status == STATUS_OK && slices->ended[s]) {
            uint32_t closed;
            status = load_regions_close(b, &closed);
        }
    }
    return status;
}

/* Collective. Sets the end of the slice: the time up to which all ranks have been read. */
static void set_span(struct trace_slices *slices, uint64_t from, bool *last)
{
    struct trace *trace = slices->trace;
    int64_t begin = INT64_MAX, read = INT64_MAX, end = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream_builder *b = slices->readers[s].builder;
        int64_t first = b->count > 0 ? (int64_t)b->time[0] : INT64_MAX;
        int64_t until = b->count > 0 ? (int64_t)b->time[b->count - 1] : 0;
        begin = first < begin ? first : begin;
        read = !slices->ended[s] && until < read ? until : read;
        end = until > end ? until : end;
    }
    processes_min(trace->processes, &begin, 1);
    processes_min(trace->processes, &read, 1);
    processes_max(trace->processes, &end, 1);
    *last = read == INT64_MAX;
    trace->begin = from > 0 ? from : (uint64_t)begin;
    trace->end = (uint64_t)(*last ? end : read);
    slices->end = trace->end;
}

/* Collective. Gives the call paths the same numbers on all processes. Those of earlier slices keep
 * their numbers, because all processes have them in the same order already. */
static enum status unite_paths(struct trace_slices *slices, struct error *error)
{
    struct trace *trace = slices->trace;
    uint32_t *remap;
    enum status status = calltree_unify(&slices->paths, trace->processes, &remap, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        struct stream_builder *b = slices->readers[s].builder;
        struct stream rows = {.count = b->count, .kind = b->kind, .arg = b->arg};
        load_renumber(&rows, remap);
        for (size_t i = 0; i < b->stack.count; i++)
            b->stack.items[i].path = remap[b->stack.items[i].path];
        for (size_t i = 0; i < CHILD_CACHE; i++)
            b->child_cache[i].key = CHILD_NONE;
    }
    free(remap);
    if (trace->calltree.paths.count == slices->paths.paths.count)
        return STATUS_OK;
    calltree_clear(&trace->calltree);
    bool allocated = true;
    for (size_t i = 0; i < slices->paths.paths.count && allocated; i++) {
        const struct callpath *path = &slices->paths.paths.items[i];
        allocated = calltree_child(&trace->calltree, path->parent, path->region) != CALLPATH_NONE;
    }
    status = allocated ? load_name_programs(trace, &slices->ids, error)
                       : error_memory(error, "the call tree");
    return processes_agree(trace->processes, status, error);
}

enum status trace_slices_next(struct trace_slices *slices, uint64_t from, struct trace **slice,
                              bool *last, struct error *error)
{
    assert(from <= slices->end || slices->end == 0);
    struct trace *trace = slices->trace;
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        if (!drop_before(slices->readers[s].builder, from))
            status = error_memory(error, "the events of the trace");
        if (status == STATUS_OK)
            status = read_rank_on(slices, s, error);
    }
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = unite_paths(slices, error);
    if (status != STATUS_OK)
        return status;
    set_span(slices, from, last);
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream_builder *b = slices->readers[s].builder;
        struct stream *stream = &trace->streams[s];
        stream->count = b->count;
        stream->time = b->time;
        stream->kind = b->kind;
        stream->arg = b->arg;
        stream->dropped = &b->dropped;
#define X(table, number)            \
    stream->table = b->table.items; \
    stream->number = (uint32_t)b->table.count;
        STREAM_TABLES(X)
#undef X
    }
    *slice = trace;
    if (*last)
        load_warn_of_irregular(trace, &slices->source);
    return load_check_span(trace, error);
}

static enum status open_readers(struct trace_slices *slices, uint64_t events, struct error *error)
{
    struct trace *trace = slices->trace;
    slices->source.calltree = &slices->paths;
    slices->paths = trace->calltree;
    memset(&trace->calltree, 0, sizeof trace->calltree);
    trace->carried_count = 0;
    uint64_t rows = events / trace->rank_count;
    slices->rows = (uint32_t)(rows < LEAST_ROWS       ? LEAST_ROWS
                              : rows > UINT32_MAX / 4 ? UINT32_MAX / 4
                                                      : rows);
    slices->readers = calloc((size_t)trace->owned_count + 1, sizeof *slices->readers);
    slices->ended = calloc((size_t)trace->owned_count + 1, sizeof *slices->ended);
    if (!slices->readers || !slices->ended)
        return error_memory(error, "the events of the trace");
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = event_reader_open(&slices->source, &trace->streams[s], slices->rows + LEAST_ROWS,
                                   &slices->readers[s], error);
    return status;
}

static enum status open_slices(struct trace_slices *slices, const char *path, uint64_t events,
                               struct error *error)
{
    struct trace *trace = slices->trace;
    enum status status = anchor_find(path, &trace->path, error);
    if (status == STATUS_OK && !(trace->path = arena_adopt(trace->arena, trace->path)))
        status = error_memory(error, "a path");
    if (status == STATUS_OK)
        status = load_open(trace, &slices->ids, &slices->source, error);
    return status == STATUS_OK ? open_readers(slices, events, error) : status;
}

enum status trace_slices_open(const char *path, struct processes *processes, uint64_t events,
                              struct trace_slices **slices, struct error *error)
{
    assert(events > 0);
    struct trace_slices *opened = calloc(1, sizeof *opened);
    enum status status = processes_agree_memory(processes, opened != NULL, "the trace", error);
    if (status == STATUS_OK)
        status = load_create(processes, &opened->trace, error);
    if (status == STATUS_OK)
        status = processes_agree(processes, open_slices(opened, path, events, error), error);
    if (status != STATUS_OK) {
        trace_slices_close(opened);
        opened = NULL;
    }
    *slices = opened;
    return status;
}

void trace_slices_close(struct trace_slices *slices)
{
    if (!slices)
        return;
    for (uint32_t s = 0; slices->readers && s < slices->trace->owned_count; s++)
        event_reader_close(&slices->readers[s]);
    load_close(&slices->source);
    free(slices->readers);
    free(slices->ended);
    definition_ids_clear(&slices->ids);
    calltree_clear(&slices->paths);
    trace_destroy(slices->trace);
    free(slices);
}
