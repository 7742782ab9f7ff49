#include "structure/cut.h"

#include "structure/cut_marks.h"
#include "trace/calls/records.h"
#include "trace/match/match.h"
#include "transform/hypothesis.h"
#include "transform/rewrite.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enters the regions that are open before the first row of the range and stay, outermost first. */
static bool enter_open(struct row_writer *writer, const struct location_marks *marks)
{
    const struct stream *stream = marks->stream;
    ARRAY(uint32_t) open = {0};
    bool allocated = true;
    for (uint32_t row = 0; row < marks->first && allocated; row++)
        if (event_opens(stream->kind[row]))
            allocated = array_push(&open, row);
        else if (event_closes(stream->kind[row])) {
            assert(open.count > 0);
            open.count--;
        }
    for (size_t i = 0; i < open.count && allocated; i++)
        if (!marks->drop[open.items[i]])
            row_writer_add(writer, marks->range.begin, stream->kind[open.items[i]],
                           stream->arg[open.items[i]]);
    free(open.items);
    return allocated;
}

static void leave_open_regions(struct row_writer *writer, uint64_t end)
{
    while (!writer->out_of_memory && writer->open.count > 0) {
        uint32_t enter = writer->open.items[writer->open.count - 1];
        row_writer_add(
            writer, end,
            writer->kind.items[enter] == EVENT_PROGRAM_BEGIN ? EVENT_PROGRAM_END : EVENT_LEAVE, 0);
    }
}

static void skip_until(struct row_writer *writer, uint32_t row)
{
    while (!writer->out_of_memory && writer->next < row)
        row_writer_skip(writer, writer->stream->time[writer->next]);
}

/* Writes the part of a location that stays. False if out of memory. */
static bool write_kept_rows(struct trace *cut, struct stream *stream,
                            const struct location_marks *marks)
{
    struct row_writer writer;
    bool allocated = true;
    row_writer_open(&writer, cut, stream, marks->messages, marks->collectives);
    skip_until(&writer, marks->first);
    if (marks->range.begin < marks->range.end) {
        allocated = enter_open(&writer, marks);
        for (uint32_t row = marks->first; row < marks->last; row++)
            if (marks->drop[row])
                row_writer_skip(&writer, stream->time[row]);
            else
                row_writer_copy(&writer, stream->time[row]);
        leave_open_regions(&writer, marks->range.end);
    }
    skip_until(&writer, stream->count);
    return row_writer_close(&writer) && allocated;
}

/* Keeps those items of a table that rows refer to. False if out of memory. */
static bool compact_table(struct trace *cut, struct stream *stream, enum record_subject subject,
                          void **items, size_t size, uint32_t *count)
{
    uint32_t *index = malloc(((size_t)*count + 1) * sizeof *index), kept = 0; /* new by old */
    char *table = arena_alloc_array(cut->arena, *count, size);
    if (index && table) {
        memset(index, 0xff, *count * sizeof *index); /* INDEX_NONE */
        for (uint32_t row = 0; row < stream->count; row++) {
            struct record record = record_at(stream, row);
            if (record.subject != subject || index[record.index] != INDEX_NONE)
                continue;
            memcpy(table + kept * size, (char *)*items + record.index * size, size);
            index[record.index] = kept++;
        }
        records_renumber(stream, subject, index);
        *items = table;
        *count = kept;
    }
    free(index);
    return index && table;
}

/* Numbers messages and operations as those of a separate recording. Flushes end with their range.
 */
static bool settle_tables(struct trace *cut, struct stream *stream, uint64_t end)
{
    for (uint32_t m = 0; m < stream->message_count; m++)
        stream->messages[m].recorded = m;
    for (uint32_t c = 0; c < stream->collective_count; c++)
        stream->collectives[c].recorded = c;
    for (uint32_t row = 0; row < stream->count; row++)
        if (stream->kind[row] == EVENT_BUFFER_FLUSH && stream->flushes[stream->arg[row]] > end)
            stream->flushes[stream->arg[row]] = end;
    return compact_table(cut, stream, RECORD_OF_RMA_OP, (void **)&stream->rma_ops,
                         sizeof *stream->rma_ops, &stream->rma_op_count) &&
           compact_table(cut, stream, RECORD_OF_RMA_SYNC, (void **)&stream->rma_syncs,
                         sizeof *stream->rma_syncs, &stream->rma_sync_count);
}

static double seconds_since_begin(const struct trace *trace, uint64_t time)
{
    return trace_seconds(trace, (double)((int64_t)time - (int64_t)trace->begin));
}

/* Gives the cut separate definitions: with the property, and the wall-clock time of its beginning.
 */
static bool settle_definitions(struct trace *cut, const struct trace *trace, struct cut_range all)
{
    struct definitions *own = arena_memdup(cut->arena, cut->definitions, sizeof *own);
    struct property *properties = arena_alloc_array(
        cut->arena, (size_t)cut->definitions->property_count + 1, sizeof *properties);
    char text[100];
    snprintf(text, sizeof text, "%.9f %.9f", seconds_since_begin(trace, all.begin),
             seconds_since_begin(trace, all.end));
    char *value = arena_strdup(cut->arena, text);
    if (!own || !properties || !value)
        return false;
    own->properties = properties;
    own->property_count = 0;
    for (uint32_t i = 0; i < trace->definitions->property_count; i++)
        if (strncmp(trace->definitions->properties[i].name, SILAS_PROPERTY_CUT,
                    strlen(SILAS_PROPERTY_CUT)) != 0 && /* of an earlier cut, and its weight */
            strcmp(trace->definitions->properties[i].name, SILAS_PROPERTY_FOLDED) != 0)
            properties[own->property_count++] = trace->definitions->properties[i];
    properties[own->property_count++] = (struct property){SILAS_PROPERTY_CUT, value};
    if (own->realtime != UINT64_MAX)
        own->realtime += (uint64_t)(int64_t)(1e9 * seconds_since_begin(trace, cut->begin));
    cut->definitions = own;
    return true;
}

static bool write_cut_locations(struct trace *cut, const struct cut_marks *marks)
{
    for (uint32_t i = 0; i < cut->owned_count + cut->carried_count; i++) {
        struct stream *stream = trace_any_stream(cut, i);
        if (!write_kept_rows(cut, stream, &marks->locations[i]) ||
            !settle_tables(cut, stream, marks->locations[i].range.end))
            return false;
    }
    return true;
}

/* False if out of memory. */
static bool list_crossings(const struct cut_marks *marks, cut_crossing_list *list)
{
    size_t paths = marks->trace->calltree.paths.count;
    for (int kind = 0; kind < CUT_CROSSING_KIND_COUNT; kind++)
        for (size_t path = 0; path <= paths; path++) {
            struct cut_crossing crossing = {
                .kind = (enum cut_crossing_kind)kind,
                .path = path == paths ? CALLPATH_NONE : (uint32_t)path,
                .count = marks->crossings[(size_t)kind * (paths + 1) + path]};
            if (crossing.count > 0 && !array_push(list, crossing))
                return false;
        }
    return true;
}

static enum status make_cut(struct cut_marks *marks, const struct cut_range *ranges,
                            struct trace *cut, struct error *error)
{
    const struct trace *trace = marks->trace;
    enum status status = cut_marks_make(marks, ranges, error);
    if (status != STATUS_OK)
        return status;
    cut->matched = false;
    cut->recording = NULL;
    bool allocated = write_cut_locations(cut, marks);
    if ((status = processes_agree_memory(trace->processes, allocated, "a cut", error)) != STATUS_OK)
        return status;
    if (trace_count_events(cut) == 0)
        return error_set(error, STATUS_INPUT, "%s: no rank has any events in the part to cut out",
                         trace->path);
    trace_update_span(cut);
    allocated = settle_definitions(cut, trace, cut_range_of_all(trace->rank_count, ranges));
    if ((status = processes_agree_memory(trace->processes, allocated, "a cut", error)) != STATUS_OK)
        return status;
    return trace_match(cut, error);
}

enum status structure_cut(const struct trace *trace, const struct cut_range *ranges,
                          struct trace **cut, struct cut_losses *losses,
                          cut_crossing_list *crossings, struct error *error)
{
    struct cut_range all = cut_range_of_all(trace->rank_count, ranges);
    struct cut_marks marks = {.trace = trace, .losses = losses};
    struct trace *made;
    assert(trace->matched && !trace->origin);
    if (all.begin >= all.end)
        return error_set(error, STATUS_INPUT, "%s: the part to cut out is empty on all ranks",
                         trace->path);
    enum status status = hypotheses_apply(NULL, 0, trace, &made, NULL, error);
    if (status != STATUS_OK)
        return status;
    marks.arena = arena_create();
    status = processes_agree_memory(trace->processes, marks.arena, "a cut", error);
    if (status == STATUS_OK)
        status = make_cut(&marks, ranges, made, error);
    if (status == STATUS_OK && crossings)
        status = processes_agree_memory(trace->processes, list_crossings(&marks, crossings),
                                        "a cut", error);
    arena_destroy(marks.arena);
    if (status == STATUS_OK)
        *cut = made;
    else
        trace_destroy(made);
    return status;
}
