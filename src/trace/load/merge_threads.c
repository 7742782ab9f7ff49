/* Three steps for each rank: find the calls of its threads (one block of rows each), sort them by
 * time, and write the rank's columns anew with the blocks inserted. */
#include "trace/load/merge_threads.h"

#include "trace/load/merge_threads_private.h"

#include "trace/load/load_events.h"

#include <stdlib.h>
#include <string.h>

/* One-sided operations of other paradigms (copies to and from an accelerator) are not MPI calls. */
static bool is_mpi_window(const struct definitions *d, uint32_t window)
{
    return window < d->window_count && window_takes_part(d, window);
}

/* True if the row is a record of MPI communication. */
static bool communicates(const struct trace *trace, const struct stream *s, uint32_t row)
{
    switch ((enum event_kind)s->kind[row]) {
    case EVENT_RMA_OP:
        return is_mpi_window(trace->definitions, s->rma_ops[s->arg[row]].window);
    case EVENT_RMA_SYNC:
        return is_mpi_window(trace->definitions, s->rma_syncs[s->arg[row]].window);
    case EVENT_RMA_WIN_CREATE:
    case EVENT_RMA_WIN_DESTROY:
        return is_mpi_window(trace->definitions, s->arg[row]);
    case EVENT_COMM_CREATE:
    case EVENT_COMM_DESTROY:
        return true;
    default:
        return event_communicates((enum event_kind)s->kind[row]);
    }
}

static bool any_communicates(const struct trace *trace, const struct stream *s)
{
    for (uint32_t i = 0; i < s->rma_op_count; i++)
        if (is_mpi_window(trace->definitions, s->rma_ops[i].window))
            return true;
    for (uint32_t i = 0; i < s->rma_sync_count; i++)
        if (is_mpi_window(trace->definitions, s->rma_syncs[i].window))
            return true;
    return s->message_count + s->collective_count > 0;
}

static bool opens(uint8_t kind)
{
    return kind == EVENT_ENTER || kind == EVENT_PROGRAM_BEGIN;
}

static bool closes(uint8_t kind)
{
    return kind == EVENT_LEAVE || kind == EVENT_PROGRAM_END;
}

static bool is_mpi(const struct trace *trace, uint32_t path)
{
    uint32_t region = trace->calltree.paths.items[path].region;
    return !(region & REGION_PROGRAM_BIT) &&
           trace->definitions->regions[region].mpi_call != MPI_CALL_NONE;
}

/* --- finding -------------------------------------------------------------------------------- */

static bool add_block(struct merge *merge, uint32_t source, uint32_t first, uint32_t last)
{
    const uint64_t *time = merge->sources[source].stream->time;
    struct block block = {time[first], time[last], source, first, last};
    return array_push(&merge->blocks, block);
}

/* False when memory is out. */
static bool find_blocks(struct merge *merge, uint32_t source)
{
    const struct stream *s = merge->sources[source].stream;
    uint32_t call = INDEX_NONE; /* row of the outermost open MPI call */
    bool found = false;         /* the call communicates */
    for (uint32_t row = 0; row < s->count; row++) {
        if (opens(s->kind[row]) && call == INDEX_NONE && is_mpi(merge->trace, s->arg[row])) {
            call = row;
            found = false;
        } else if (communicates(merge->trace, s, row) && call == INDEX_NONE) {
            if (!add_block(merge, source, row, row))
                return false;
        } else if (communicates(merge->trace, s, row)) {
            found = true;
        } else if (closes(s->kind[row]) && s->arg[row] == call) {
            if (found && !add_block(merge, source, call, row))
                return false;
            call = INDEX_NONE;
        }
    }
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Fails if two calls overlap. */
static enum status check_turns(const struct merge *merge, struct error *error)
{
    for (size_t i = 1; i < merge->blocks.count; i++) {
        const struct block *a = &merge->blocks.items[i - 1], *b = a + 1;
        if (b->begin >= a->end)
            continue;
        const struct block *other = b->source ? b : a;
        const struct stream *s = merge->sources[other->source].stream;
        return error_set(
            error, STATUS_INPUT,
            "%s: rank %u communicates from several threads at a time (location %llu, event %u, "
            "at %.9f s): MPI_THREAD_MULTIPLE traffic is not supported; record with threads that "
            "take turns, or with one communicating thread per rank",
            merge->trace->path, s->rank,
            (unsigned long long)merge->trace->definitions->locations[s->location].id, other->first,
            trace_seconds(merge->trace,
                          (double)(other->begin - merge->trace->definitions->global_offset)));
    }
    return STATUS_OK;
}

/* --- writing anew --------------------------------------------------------------------------- */

/* Appends one row of a source to the merged stream. */
static void append(struct merge *merge, uint32_t source, uint32_t row, uint64_t time, uint32_t arg)
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
static uint32_t new_arg(const struct source *source, uint32_t row)
{
    uint32_t arg = source->stream->arg[row];
    switch ((enum event_kind)source->stream->kind[row]) {
    case EVENT_LEAVE:
    case EVENT_PROGRAM_END:
        return source->new_row[arg];
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_ISEND:
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV_REQUEST:
    case EVENT_IRECV:
        return arg + source->messages;
    case EVENT_MATCHED:
        return arg == INDEX_NONE ? arg : arg + source->messages;
    case EVENT_REQUEST_TEST:
    case EVENT_REQUEST_CANCELLED:
        if (arg == INDEX_NONE)
            return arg;
        return arg & COLLECTIVE_BIT ? arg + source->collectives : arg + source->messages;
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_REQUEST:
    case EVENT_NBC_COMPLETE:
        return arg + source->collectives;
    case EVENT_RMA_OP:
        return arg + source->rma_ops;
    case EVENT_RMA_SYNC:
        return arg + source->rma_syncs;
    case EVENT_BUFFER_FLUSH:
        return arg + source->flushes;
    case EVENT_OTHER:
        return arg + source->others;
    default:
        return arg;
    }
}

/* Appends rows of the main thread before the first that is later than `limit`. */
static bool append_own(struct merge *merge, uint32_t *row, uint64_t limit)
{
    const struct source *own = &merge->sources[0];
    for (; *row < own->stream->count && own->stream->time[*row] <= limit; ++*row) {
        uint8_t kind = own->stream->kind[*row];
        uint32_t arg = opens(kind) ? own->stream->arg[*row] : new_arg(own, *row);
        if (opens(kind) && !array_push(&merge->path, arg))
            return false;
        if (closes(kind) && merge->path.count)
            merge->path.count--;
        append(merge, 0, *row, own->stream->time[*row], arg);
    }
    return true;
}

/* Appends a call of another thread, below the main thread's innermost region. */
static bool append_block(struct merge *merge, const struct block *block)
{
    struct calltree *tree = &merge->trace->calltree;
    const struct source *source = &merge->sources[block->source];
    uint32_t outside = merge->path.count ? merge->path.items[merge->path.count - 1] : CALLPATH_NONE;
    merge->block_path.count = 0;
    for (uint32_t row = block->first; row <= block->last; row++) {
        uint8_t kind = source->stream->kind[row];
        uint32_t arg;
        if (opens(kind)) {
            uint32_t parent = merge->block_path.count
                                  ? merge->block_path.items[merge->block_path.count - 1]
                                  : outside;
            arg = calltree_child(tree, parent, tree->paths.items[source->stream->arg[row]].region);
            if (arg == CALLPATH_NONE || !array_push(&merge->block_path, arg))
                return false;
        } else {
            arg = new_arg(source, row);
            if (closes(kind) && merge->block_path.count)
                merge->block_path.count--;
        }
        append(merge, block->source, row, source->stream->time[row], arg);
    }
    return true;
}

static bool write_rows(struct merge *merge)
{
    uint32_t row = 0;
    for (size_t i = 0; i < merge->blocks.count; i++) {
        const struct block *block = &merge->blocks.items[i];
        if (block->source == 0)
            continue;
        if (!append_own(merge, &row, block->begin) || !append_block(merge, block))
            return false;
    }
    return append_own(merge, &row, UINT64_MAX);
}

static uint32_t moved(const struct source *source, uint32_t row)
{
    return row == INDEX_NONE ? INDEX_NONE : source->new_row[row];
}

/* --- side tables ---------------------------------------------------------------------------- */

#define JOIN_TABLE(merge, table)                                                             \
    for (uint32_t i = 0; i < (merge)->source_count; i++) {                                   \
        const struct stream *from = (merge)->sources[i].stream;                              \
        if (from->table##_count)                                                             \
            memcpy((merge)->merged.table##s + (merge)->merged.table##_count, from->table##s, \
                   from->table##_count * sizeof *from->table##s);                            \
        (merge)->merged.table##_count += from->table##_count;                                \
    }

static void join_tables(struct merge *merge)
{
    struct stream *m = &merge->merged;
    JOIN_TABLE(merge, message)
    JOIN_TABLE(merge, collective)
    JOIN_TABLE(merge, rma_op)
    JOIN_TABLE(merge, rma_sync)
    JOIN_TABLE(merge, other)
    for (uint32_t i = 0; i < merge->source_count; i++) {
        const struct source *source = &merge->sources[i];
        const struct stream *from = source->stream;
        if (from->flush_count)
            memcpy(m->flushes + source->flushes, from->flushes,
                   from->flush_count * sizeof *m->flushes);
        m->flush_count += from->flush_count;
        for (uint32_t k = 0; k < from->message_count; k++) {
            struct message *message = &m->messages[source->messages + k];
            message->post = moved(source, message->post);
            message->completion = moved(source, message->completion);
        }
        for (uint32_t k = 0; k < from->rma_sync_count; k++)
            m->rma_syncs[source->rma_syncs + k].row = moved(source, from->rma_syncs[k].row);
        if (!m->window_bytes)
            m->window_bytes = from->window_bytes;
        for (uint32_t k = 0; k < from->collective_count; k++) {
            struct collective *collective = &m->collectives[source->collectives + k];
            collective->begin = moved(source, collective->begin);
            collective->end = moved(source, collective->end);
        }
    }
}

/* --- order ------------------------------------------------------------------------------------ */

struct place {
    uint32_t row, index;
};

static int by_row(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

/* Sorts a table by the member `row_field` of its items, as if the rank had recorded it, and removes
 * aliases. new_index[i] is the new place of item i or of the item that it is an alias of. False
 * when memory is out. */
#define SORT_TABLE(name, type, row_field)                                                      \
    static bool name(type *items, uint32_t *count, const uint32_t *alias, uint32_t *new_index) \
    {                                                                                          \
        struct place *places = malloc(((size_t)*count + 1) * sizeof *places);                  \
        type *copy = malloc(((size_t)*count + 1) * sizeof *copy);                              \
        uint32_t kept = 0, all = *count;                                                       \
        bool room = places && copy;                                                            \
        for (uint32_t i = 0; room && i < all; i++)                                             \
            if (alias[i] == INDEX_NONE)                                                        \
                places[kept++] = (struct place){items[i].row_field, i};                        \
        if (room) {                                                                            \
            memcpy(copy, items, all * sizeof *copy);                                           \
            qsort(places, kept, sizeof *places, by_row);                                       \
            *count = kept;                                                                     \
        }                                                                                      \
        for (uint32_t i = 0; room && i < kept; i++) {                                          \
            items[i] = copy[places[i].index];                                                  \
            items[i].recorded = i;                                                             \
            new_index[places[i].index] = i;                                                    \
        }                                                                                      \
        for (uint32_t i = 0; room && i < all; i++)                                             \
            if (alias[i] != INDEX_NONE)                                                        \
                new_index[i] = new_index[alias[i]];                                            \
        free(places);                                                                          \
        free(copy);                                                                            \
        return room;                                                                           \
    }
SORT_TABLE(sort_messages, struct message, post)
SORT_TABLE(sort_collectives, struct collective, begin)
#undef SORT_TABLE

static bool sort_tables(struct merge *merge)
{
    struct stream *m = &merge->merged;
    uint32_t *messages = malloc(((size_t)m->message_count + 1) * sizeof *messages);
    uint32_t *collectives = malloc(((size_t)m->collective_count + 1) * sizeof *collectives);
    bool sorted = messages && collectives &&
                  sort_messages(m->messages, &m->message_count, merge->message_alias, messages) &&
                  sort_collectives(m->collectives, &m->collective_count, merge->collective_alias,
                                   collectives);
    for (uint32_t row = 0; sorted && row < m->count; row++) {
        uint32_t *arg = &m->arg[row];
        if (m->kind[row] >= EVENT_SEND && m->kind[row] <= EVENT_MATCHED && *arg != INDEX_NONE)
            *arg = messages[*arg];
        else if (m->kind[row] >= EVENT_COLLECTIVE_BEGIN && m->kind[row] <= EVENT_NBC_COMPLETE)
            *arg = collectives[*arg];
        else if ((m->kind[row] == EVENT_REQUEST_TEST || m->kind[row] == EVENT_REQUEST_CANCELLED) &&
                 *arg != INDEX_NONE)
            *arg = *arg & COLLECTIVE_BIT ? COLLECTIVE_BIT | collectives[*arg & ~COLLECTIVE_BIT]
                                         : messages[*arg];
    }
    free(messages);
    free(collectives);
    return sorted;
}

/* Rows that have not moved stay in their stream, which has no communication then. */
static void close_gaps(const struct source *source)
{
    struct stream *s = source->stream;
    uint32_t kept = 0;
    for (uint32_t row = 0; row < s->count; row++) {
        if (source->new_row[row] != INDEX_NONE)
            continue;
        s->time[kept] = s->time[row];
        s->kind[kept] = s->kind[row];
        s->arg[kept] = closes(s->kind[row]) ? source->new_row[s->arg[row]] : s->arg[row];
        source->new_row[row] = kept++; /* from here on its row in its own stream */
    }
    for (uint32_t i = 0; i < s->rma_sync_count; i++)
        s->rma_syncs[i].row = source->new_row[s->rma_syncs[i].row];
    s->count = kept;
    s->message_count = s->collective_count = 0;
}

/* --- a rank --------------------------------------------------------------------------------- */

/* Makes room for the rows and items of all sources. */
static bool open_merged(struct merge *merge)
{
    struct arena *arena = merge->trace->arena;
    struct stream *m = &merge->merged;
    size_t rows = 0, messages = 0, collectives = 0, ops = 0, syncs = 0, flushes = 0, others = 0;
    *m = (struct stream){.rank = merge->sources[0].stream->rank,
                         .location = merge->sources[0].stream->location};
    for (uint32_t i = 0; i < merge->source_count; i++) {
        struct source *source = &merge->sources[i];
        const struct stream *s = source->stream;
        source->messages = (uint32_t)messages;
        source->collectives = (uint32_t)collectives;
        source->rma_ops = (uint32_t)ops;
        source->rma_syncs = (uint32_t)syncs;
        source->flushes = (uint32_t)flushes;
        source->others = (uint32_t)others;
        rows += s->count;
        messages += s->message_count;
        collectives += s->collective_count;
        ops += s->rma_op_count;
        syncs += s->rma_sync_count;
        flushes += s->flush_count;
        others += s->other_count;
        source->new_row = malloc(((size_t)s->count + 1) * sizeof *source->new_row);
        if (!source->new_row)
            return false;
        memset(source->new_row, 0xff, s->count * sizeof *source->new_row);
    }
    m->time = arena_alloc_array(arena, rows + 1, sizeof *m->time);
    m->kind = arena_alloc_array(arena, rows + 1, sizeof *m->kind);
    m->arg = arena_alloc_array(arena, rows + 1, sizeof *m->arg);
    m->messages = arena_alloc_array(arena, messages + 1, sizeof *m->messages);
    m->collectives = arena_alloc_array(arena, collectives + 1, sizeof *m->collectives);
    m->rma_ops = arena_alloc_array(arena, ops + 1, sizeof *m->rma_ops);
    m->rma_syncs = arena_alloc_array(arena, syncs + 1, sizeof *m->rma_syncs);
    m->flushes = arena_alloc_array(arena, flushes + 1, sizeof *m->flushes);
    m->others = arena_alloc_array(arena, others + 1, sizeof *m->others);
    merge->message_alias = malloc((messages + 1) * sizeof(uint32_t));
    merge->collective_alias = malloc((collectives + 1) * sizeof(uint32_t));
    if (!merge->message_alias || !merge->collective_alias)
        return false;
    memset(merge->message_alias, 0xff, messages * sizeof(uint32_t)); /* INDEX_NONE */
    memset(merge->collective_alias, 0xff, collectives * sizeof(uint32_t));
    return m->time && m->kind && m->arg && m->messages && m->collectives && m->rma_ops &&
           m->rma_syncs && m->flushes && m->others;
}

static enum status rewrite(struct merge *merge, struct error *error)
{
    if (!open_merged(merge) || !write_rows(merge))
        return error_memory(error, "the threads of a rank");
    join_tables(merge);
    enum status status = merge_ends(merge, error);
    if (status != STATUS_OK)
        return status;
    if (!sort_tables(merge))
        return error_memory(error, "the threads of a rank");
    for (uint32_t i = 1; i < merge->source_count; i++)
        close_gaps(&merge->sources[i]);
    *merge->sources[0].stream = merge->merged;
    return STATUS_OK;
}

static enum status merge_rank(struct merge *merge, struct error *error)
{
    bool complete = true;
    for (uint32_t i = 0; i < merge->source_count && complete; i++)
        complete = find_blocks(merge, i);
    if (!complete)
        return error_memory(error, "the threads of a rank");
    qsort(merge->blocks.items, merge->blocks.count, sizeof *merge->blocks.items, by_time);
    enum status status = check_turns(merge, error);
    if (status == STATUS_OK)
        status = rewrite(merge, error);
    return status;
}

static void merge_clear(struct merge *merge)
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

enum status merge_threads(struct trace *trace, int64_t *ranks, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t r = 0; r < trace->owned_count && status == STATUS_OK; r++) {
        struct merge merge = {.trace = trace};
        merge.sources = calloc((size_t)trace->carried_count + 1, sizeof *merge.sources);
        if (!merge.sources)
            return error_memory(error, "the threads of a rank");
        merge.sources[merge.source_count++].stream = &trace->streams[r];
        for (uint32_t i = 0; i < trace->carried_count; i++) {
            struct stream *s = &trace->carried[i];
            if (s->rank == trace->streams[r].rank && any_communicates(trace, s))
                merge.sources[merge.source_count++].stream = s;
        }
        if (merge.source_count > 1) {
            status = merge_rank(&merge, error);
            ++*ranks;
        } else {
            status = merge_check_alone(trace, &trace->streams[r], error);
        }
        merge_clear(&merge);
    }
    for (uint32_t i = 0; i < trace->owned_count; i++)
        trace->streams[i].ends = NULL;
    for (uint32_t i = 0; i < trace->carried_count; i++)
        trace->carried[i].ends = NULL;
    return status;
}
