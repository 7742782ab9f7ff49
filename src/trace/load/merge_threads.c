/* For ranks whose threads communicate one at a time. Three steps for each rank: find the MPI calls
 * of its threads (a block of rows each), sort them by time, and write new columns of the rank with
 * the blocks inserted. */
#include "base/sort.h"
#include "trace/calls/records.h"
#include "trace/load/load_private.h"
#include "trace/load/merge_threads_private.h"

#include <stdlib.h>
#include <string.h>

/* True if the row is a record of MPI communication. */
static bool communicates(const struct trace *trace, const struct stream *s, uint32_t row)
{
    switch ((enum event_kind)s->kind[row]) {
    case EVENT_RMA_OP:
        return window_is_mpi(trace->definitions, s->rma_ops[s->arg[row]].window);
    case EVENT_RMA_SYNC:
        return window_is_mpi(trace->definitions, s->rma_syncs[s->arg[row]].window);
    case EVENT_RMA_WIN_CREATE:
    case EVENT_RMA_WIN_DESTROY:
        return window_is_mpi(trace->definitions, s->arg[row]);
    case EVENT_COMM_CREATE:
    case EVENT_COMM_DESTROY:
        return true;
    default:
        return record_properties((enum event_kind)s->kind[row]) != 0;
    }
}

bool stream_communicates(const struct trace *trace, const struct stream *s)
{
    for (uint32_t i = 0; i < s->rma_op_count; i++)
        if (window_is_mpi(trace->definitions, s->rma_ops[i].window))
            return true;
    for (uint32_t i = 0; i < s->rma_sync_count; i++)
        if (window_is_mpi(trace->definitions, s->rma_syncs[i].window))
            return true;
    return s->message_count + s->collective_count > 0;
}

static enum mpi_call mpi_call_of_path(const struct trace *trace, uint32_t path)
{
    uint32_t region = trace->calltree.paths.items[path].region;
    return region & REGION_PROGRAM_BIT ? MPI_CALL_NONE
                                       : trace->definitions->regions[region].mpi_call;
}

static bool add_block(struct thread_merge *merge, uint32_t source, uint32_t first, uint32_t last)
{
    const uint64_t *time = merge->sources[source].stream->time;
    struct call_block block = {time[first], time[last], source, first, last};
    return array_push(&merge->blocks, block);
}

/* False when memory is out. */
static bool find_call_blocks(struct thread_merge *merge, uint32_t source)
{
    const struct stream *s = merge->sources[source].stream;
    uint32_t call = INDEX_NONE; /* row of the outermost open MPI call */
    bool found = false;         /* the call communicates */
    for (uint32_t row = 0; row < s->count; row++) {
        if (event_opens(s->kind[row]) && call == INDEX_NONE &&
            mpi_call_of_path(merge->trace, s->arg[row]) != MPI_CALL_NONE) {
            call = row;
            /* a probe has no record, but another thread may send what it waits for */
            found = mpi_class_is_blocking_probe(
                mpi_call_infos[mpi_call_of_path(merge->trace, s->arg[row])].class);
        } else if (communicates(merge->trace, s, row) && call == INDEX_NONE) {
            if (!add_block(merge, source, row, row))
                return false;
        } else if (communicates(merge->trace, s, row)) {
            found = true;
        } else if (event_closes(s->kind[row]) && s->arg[row] == call) {
            if (found && !add_block(merge, source, call, row))
                return false;
            call = INDEX_NONE;
        }
    }
    return true;
}

ORDER_BY(by_block_time, struct call_block,
         ASCENDING(begin) ?: ASCENDING(end) ?: ASCENDING(source) ?: ASCENDING(first))

static bool take_turns(const struct thread_merge *merge)
{
    for (size_t i = 1; i < merge->blocks.count; i++)
        if (merge->blocks.items[i].begin < merge->blocks.items[i - 1].end)
            return false;
    return true;
}

/* Appends one row of a source to the merged stream. */
static void append_row(struct thread_merge *merge, uint32_t source, uint32_t row, uint64_t time,
                       uint32_t arg)
{
    struct stream *m = &merge->merged;
    if (time < merge->earliest)
        time = merge->earliest;
    m->time[m->count] = time;
    m->kind[m->count] = merge->sources[source].stream->kind[row];
    m->arg[m->count] = arg;
    merge->sources[source].new_row[row] = m->count++;
    merge->earliest = time;
}

/* The argument of a row in the merged stream; the caller handles ENTERs. */
static uint32_t new_arg(const struct merge_source *source, uint32_t row)
{
    uint32_t arg = source->stream->arg[row];
    uint8_t kind = source->stream->kind[row];
    switch (record_at(source->stream, row).subject) {
    case RECORD_OF_MESSAGE:
        return arg + source->messages;
    case RECORD_OF_COLLECTIVE:
        return arg + source->collectives;
    case RECORD_OF_RMA_OP:
        return arg + source->rma_ops;
    case RECORD_OF_RMA_SYNC:
        return arg + source->rma_syncs;
    case RECORD_OF_NOTHING:
        break;
    }
    if (event_closes(kind))
        return source->new_row[arg];
    return kind == EVENT_BUFFER_FLUSH ? arg + source->flushes
           : kind == EVENT_OTHER      ? arg + source->others
                                      : arg;
}

/* Appends the rows of the main thread up to the time `limit`. */
static bool append_own(struct thread_merge *merge, uint32_t *row, uint64_t limit)
{
    const struct merge_source *own = &merge->sources[0];
    for (; *row < own->stream->count && own->stream->time[*row] <= limit; ++*row) {
        uint8_t kind = own->stream->kind[*row];
        uint32_t arg = event_opens(kind) ? own->stream->arg[*row] : new_arg(own, *row);
        if (event_opens(kind) && !array_push(&merge->path, arg))
            return false;
        if (event_closes(kind) && merge->path.count)
            merge->path.count--;
        append_row(merge, 0, *row, own->stream->time[*row], arg);
    }
    return true;
}

/* Appends a call of another thread, below the main thread's innermost region. */
static bool append_block(struct thread_merge *merge, const struct call_block *block)
{
    struct calltree *tree = &merge->trace->calltree;
    const struct merge_source *source = &merge->sources[block->source];
    uint32_t outside = merge->path.count ? merge->path.items[merge->path.count - 1] : CALLPATH_NONE;
    merge->block_path.count = 0;
    for (uint32_t row = block->first; row <= block->last; row++) {
        uint8_t kind = source->stream->kind[row];
        uint32_t arg;
        if (event_opens(kind)) {
            uint32_t parent = merge->block_path.count
                                  ? merge->block_path.items[merge->block_path.count - 1]
                                  : outside;
            arg = calltree_child(tree, parent, tree->paths.items[source->stream->arg[row]].region);
            if (arg == CALLPATH_NONE || !array_push(&merge->block_path, arg))
                return false;
        } else {
            arg = new_arg(source, row);
            if (event_closes(kind) && merge->block_path.count)
                merge->block_path.count--;
        }
        append_row(merge, block->source, row, source->stream->time[row], arg);
    }
    return true;
}

static bool write_merged_rows(struct thread_merge *merge)
{
    uint32_t row = 0;
    for (size_t i = 0; i < merge->blocks.count; i++) {
        const struct call_block *block = &merge->blocks.items[i];
        if (block->source == 0)
            continue;
        if (!append_own(merge, &row, block->begin) || !append_block(merge, block))
            return false;
    }
    return append_own(merge, &row, UINT64_MAX);
}

static uint32_t moved_row(const struct merge_source *source, uint32_t row)
{
    return row == INDEX_NONE ? INDEX_NONE : source->new_row[row];
}

static void join_tables(struct thread_merge *merge)
{
    struct stream *m = &merge->merged;
    for (uint32_t i = 0; i < merge->source_count; i++) {
        const struct merge_source *source = &merge->sources[i];
        const struct stream *from = source->stream;
#define X(items, count) \
    if (from->count)    \
        memcpy(m->items + source->items, from->items, from->count * sizeof *m->items);
        STREAM_TABLES(X)
#undef X
        for (uint32_t k = 0; k < from->message_count; k++) {
            struct message *message = &m->messages[source->messages + k];
            message->post = moved_row(source, message->post);
            message->completion = moved_row(source, message->completion);
        }
        for (uint32_t k = 0; k < from->rma_sync_count; k++)
            m->rma_syncs[source->rma_syncs + k].row = moved_row(source, from->rma_syncs[k].row);
        if (!m->window_bytes)
            m->window_bytes = from->window_bytes;
        for (uint32_t k = 0; k < from->collective_count; k++) {
            struct collective *collective = &m->collectives[source->collectives + k];
            collective->begin = moved_row(source, collective->begin);
            collective->end = moved_row(source, collective->end);
        }
    }
}

/* Sorts a table by the row at `row_offset` of its items, the order in which the rank would have
 * recorded it, and removes placeholders. Returns the new place of each item, for a placeholder that
 * of the item that takes its place; NULL when memory is out. */
static uint32_t *sort_table(void *items, size_t size, size_t row_offset, uint32_t *count,
                            const uint32_t *alias)
{
    const uint32_t all = *count;
    struct keyed *places = malloc(((size_t)all + 1) * sizeof *places);
    uint32_t *place_of = malloc(((size_t)all + 1) * sizeof *place_of), kept = 0;
    char *copy = malloc((size_t)all * size + 1), *table = items;
    bool allocated = places && place_of && copy;
    for (uint32_t i = 0; allocated && i < all; i++)
        if (alias[i] == INDEX_NONE)
            places[kept++] = (struct keyed){*(const uint32_t *)(table + i * size + row_offset), i};
    allocated = allocated && keyed_sort(places, kept);
    if (allocated && all)
        memcpy(copy, table, all * size);
    for (uint32_t i = 0; allocated && i < kept; i++) {
        memcpy(table + i * size, copy + places[i].value * size, size);
        place_of[places[i].value] = i;
    }
    for (uint32_t i = 0; allocated && i < all; i++)
        if (alias[i] != INDEX_NONE)
            place_of[i] = place_of[alias[i]];
    if (allocated)
        *count = kept;
    else
        free(place_of);
    free(places);
    free(copy);
    return allocated ? place_of : NULL;
}

bool stream_sort_tables(struct stream *m, const uint32_t *message_alias,
                        const uint32_t *collective_alias)
{
    uint32_t *messages =
        sort_table(m->messages, sizeof *m->messages, offsetof(struct message, post),
                   &m->message_count, message_alias);
    uint32_t *collectives =
        sort_table(m->collectives, sizeof *m->collectives, offsetof(struct collective, begin),
                   &m->collective_count, collective_alias);
    bool sorted = messages && collectives;
    if (sorted) {
        records_renumber(m, RECORD_OF_MESSAGE, messages);
        records_renumber(m, RECORD_OF_COLLECTIVE, collectives);
        for (uint32_t i = 0; i < m->message_count; i++)
            m->messages[i].recorded = i;
        for (uint32_t i = 0; i < m->collective_count; i++)
            m->collectives[i].recorded = i;
    }
    free(messages);
    free(collectives);
    return sorted;
}

/* Removes the rows that have moved from their stream, which has no communication afterwards. */
static void close_gaps(const struct merge_source *source)
{
    struct stream *s = source->stream;
    uint32_t kept = 0;
    for (uint32_t row = 0; row < s->count; row++) {
        if (source->new_row[row] != INDEX_NONE)
            continue;
        s->time[kept] = s->time[row];
        s->kind[kept] = s->kind[row];
        s->arg[kept] = event_closes(s->kind[row]) ? source->new_row[s->arg[row]] : s->arg[row];
        source->new_row[row] = kept++; /* from now on the row in its own stream */
    }
    for (uint32_t i = 0; i < s->rma_sync_count; i++)
        s->rma_syncs[i].row = source->new_row[s->rma_syncs[i].row];
    s->count = kept;
    s->message_count = s->collective_count = 0;
}

uint32_t *indices_none(uint32_t count)
{
    uint32_t *indices = malloc(((size_t)count + 1) * sizeof *indices);
    return indices ? memset(indices, 0xff, count * sizeof *indices) : NULL;
}

/* Allocates the rows and items of all sources. */
static bool open_merged(struct thread_merge *merge)
{
    struct arena *arena = merge->trace->arena;
    struct stream *m = &merge->merged;
    size_t rows = 0;
    *m = (struct stream){.rank = merge->sources[0].stream->rank,
                         .location = merge->sources[0].stream->location};
    for (uint32_t i = 0; i < merge->source_count; i++) {
        struct merge_source *source = &merge->sources[i];
        const struct stream *s = source->stream;
#define X(items, count)       \
    source->items = m->count; \
    m->count += s->count;
        STREAM_TABLES(X)
#undef X
        rows += s->count;
        source->new_row = indices_none(s->count);
        if (!source->new_row)
            return false;
    }
    bool allocated = true;
#define X(items, count)                                                          \
    m->items = arena_alloc_array(arena, m->count + (size_t)1, sizeof *m->items); \
    allocated &= m->items != NULL;
    STREAM_TABLES(X)
#undef X
    m->time = arena_alloc_array(arena, rows + 1, sizeof *m->time);
    m->kind = arena_alloc_array(arena, rows + 1, sizeof *m->kind);
    m->arg = arena_alloc_array(arena, rows + 1, sizeof *m->arg);
    merge->message_alias = indices_none(m->message_count);
    merge->collective_alias = indices_none(m->collective_count);
    return allocated && m->time && m->kind && m->arg && merge->message_alias &&
           merge->collective_alias;
}

static enum status rewrite_rank(struct thread_merge *merge, struct error *error)
{
    if (!open_merged(merge) || !write_merged_rows(merge))
        return error_memory(error, "the threads of a rank");
    join_tables(merge);
    enum status status = merge_ends(merge, error);
    if (status != STATUS_OK)
        return status;
    if (!stream_sort_tables(&merge->merged, merge->message_alias, merge->collective_alias))
        return error_memory(error, "the threads of a rank");
    for (uint32_t i = 1; i < merge->source_count; i++)
        close_gaps(&merge->sources[i]);
    *merge->sources[0].stream = merge->merged;
    return STATUS_OK;
}

/* Lists the calls of all threads, in order. False when memory is out. */
static bool list_blocks(struct thread_merge *merge)
{
    for (uint32_t i = 0; i < merge->source_count; i++)
        if (!find_call_blocks(merge, i))
            return false;
    if (merge->blocks.count)
        qsort(merge->blocks.items, merge->blocks.count, sizeof *merge->blocks.items, by_block_time);
    return true;
}

static void merge_clear(struct thread_merge *merge)
{
    for (uint32_t i = 0; i < merge->source_count; i++)
        free(merge->sources[i].new_row);
    free(merge->sources);
    free(merge->message_alias);
    free(merge->collective_alias);
    free(merge->blocks.items);
    free(merge->path.items);
    free(merge->block_path.items);
}

/* Finds the communicating threads of an owned rank. False when memory is out; clear it in any case.
 */
static bool merge_open(struct thread_merge *merge, struct trace *trace, uint32_t r)
{
    *merge = (struct thread_merge){.trace = trace};
    merge->sources = calloc((size_t)trace->carried_count + 1, sizeof *merge->sources);
    if (!merge->sources)
        return false;
    merge->sources[merge->source_count++].stream = &trace->streams[r];
    for (uint32_t i = 0; i < trace->carried_count; i++) {
        struct stream *s = &trace->carried[i];
        if (s->rank == trace->streams[r].rank && stream_communicates(trace, s))
            merge->sources[merge->source_count++].stream = s;
    }
    return merge->source_count == 1 || list_blocks(merge);
}

enum status threads_overlap(struct trace *trace, bool *at_once, struct error *error)
{
    int64_t overlap = 0;
    bool allocated = true;
    for (uint32_t r = 0; r < trace->owned_count && allocated && !overlap; r++) {
        struct thread_merge merge;
        allocated = merge_open(&merge, trace, r);
        overlap = allocated && !take_turns(&merge);
        merge_clear(&merge);
    }
    processes_max(trace->processes, &overlap, 1);
    *at_once = overlap != 0;
    return processes_agree_memory(trace->processes, allocated, "the threads of a rank", error);
}

enum status merge_threads(struct trace *trace, int64_t *ranks, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t r = 0; r < trace->owned_count && status == STATUS_OK; r++) {
        struct thread_merge merge;
        if (!merge_open(&merge, trace, r)) {
            status = error_memory(error, "the threads of a rank");
        } else if (merge.source_count > 1) {
            status = rewrite_rank(&merge, error);
            ++*ranks;
        } else {
            status = merge_check_alone(trace, &trace->streams[r], error);
        }
        merge_clear(&merge);
    }
    return processes_agree(trace->processes, status, error);
}
