#include "report/timeline/timeline_private.h"

#include "report/packing.h"
#include "report/page/page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* "regions": [name, is it of MPI, ...] of the used ones; numbers[region] are their indices. */
static bool write_used_regions(const struct timeline_data *data, uint32_t *numbers, FILE *stream)
{
    const struct trace *trace = data->timeline->trace;
    const struct callpath *paths = trace->calltree.paths.items;
    uint32_t count = 0;
    for (size_t p = 0; p < trace->calltree.paths.count; p++)
        if (data->used[p])
            numbers[paths[p].region] = 1;
    fputs("\"regions\":[", stream);
    for (uint32_t r = 0; r < trace->definitions->region_count; r++) {
        const struct region *region = &trace->definitions->regions[r];
        if (!numbers[r])
            continue;
        fputs(count > 0 ? ",\n[" : "\n[", stream);
        if (!page_value(json_text(region->name), stream))
            return false;
        fprintf(stream, ",%d]", region->mpi_call != MPI_CALL_NONE);
        numbers[r] = count++;
    }
    fputs("],\n", stream);
    return true;
}

/* "callpaths": [number, its caller or -1, region, ...] of the used ones, callers first. */
static void write_callpaths(const struct timeline_data *data, const uint32_t *numbers, FILE *stream)
{
    const struct calltree *tree = &data->timeline->trace->calltree;
    const char *separator = "\n";
    fputs("\"callpaths\":[", stream);
    for (size_t p = 0; p < tree->paths.count; p++) {
        const struct callpath *path = &tree->paths.items[p];
        int64_t parent = path->parent == CALLPATH_NONE ? -1 : (int64_t)path->parent;
        if (!data->used[p])
            continue;
        fprintf(stream, "%s%zu,%" PRId64 ",%" PRIu32, separator, p, parent, numbers[path->region]);
        separator = ",\n";
    }
    fputs("],\n", stream);
}

static int64_t or_none(int64_t callpath)
{
    return callpath == (int64_t)CALLPATH_NONE ? -1 : callpath;
}

static void write_domino_path(const struct timeline_data *data, FILE *stream)
{
    const struct timeline_input *timeline = data->timeline;
    fprintf(stream,
            "\"path\":{\"total\":%zu,\"last_time\":%" PRId64 ",\"without_path\":%" PRId64
            ",\"without_longest\":%" PRId64 ",\"longest\":%zu,\"waits\":[",
            timeline->path_total, timeline->last_time, timeline->without_path,
            timeline->without_longest, timeline->longest_count);
    for (size_t i = 0; i < timeline->path_count; i++) {
        const struct timeline_wait *wait = &timeline->path[i];
        const struct timeline_place *place = &data->places[i];
        fprintf(stream,
                "%s{\"number\":%" PRIu32 ",\"rank\":%" PRIu32 ",\"event\":%" PRIu32
                ",\"enter\":%" PRId64 ",\"until\":%" PRId64 ",\"leave\":%" PRId64
                ",\"wait\":%" PRId64 ",\"alone\":%" PRId64 ",\"from\":%" PRId64
                ",\"callpath\":%" PRId64 ",\"other_rank\":%" PRIu32 ",\"departure\":%" PRId64
                ",\"other_callpath\":%" PRId64 "}",
                i == 0 ? "\n" : ",\n", wait->number, wait->rank, wait->enter, place->enter,
                place->until, place->leave, wait->wait, wait->last_time, place->from,
                or_none(place->callpath), wait->other_rank, place->departure,
                or_none(place->other_callpath));
    }
    fputs("]},\n", stream);
}

enum { COLUMNS_MOST = 12 };

/* Columns that grow together. All zero: none. */
struct packed_columns {
    struct bytes bytes[COLUMNS_MOST];
    bool out_of_memory;
};

static void columns_put(struct packed_columns *columns, int column, uint64_t number)
{
    columns->out_of_memory |= !packing_put(&columns->bytes[column], number);
}

/* Writes "NAME":"...", for each of the names, and frees the columns. */
static bool write_packed_columns(struct packed_columns *columns, const char *const *names,
                                 int count, FILE *stream)
{
    bool written = !columns->out_of_memory;
    for (int i = 0; i < count; i++) {
        const struct bytes *bytes = &columns->bytes[i];
        fprintf(stream, "%s\"%s\":\"", i > 0 ? ",\n" : "", names[i]);
        written = written && packing_write(bytes->data, bytes->size, PACKING_SMALL, stream);
        putc('"', stream);
        bytes_clear(&columns->bytes[i]);
    }
    return written;
}

/* Messages are in order of their senders and of the time at which they were posted, except for some
 * that were posted at once. */
static bool write_messages(const struct timeline_messages *messages, FILE *stream)
{
    enum { FROM, SENT, TO, TAKES, BYTES, COUNT };
    static const char *const names[COUNT] = {"from", "sent", "to", "takes", "bytes"};
    struct packed_columns columns = {0};
    uint32_t from = 0;
    int64_t sent = 0;
    for (size_t i = 0; i < messages->count; i++) {
        const struct timeline_message *message = &messages->items[i];
        if (message->from != from)
            sent = 0;
        const int64_t later = message->sent - sent;
        columns_put(&columns, FROM, message->from - from);
        columns_put(&columns, SENT, (uint64_t)(later < 0 ? -2 * later - 1 : 2 * later));
        columns_put(&columns, TO, message->to);
        const int64_t takes = message->received - message->sent;
        columns_put(&columns, TAKES, (uint64_t)(takes < 0 ? -2 * takes - 1 : 2 * takes));
        columns_put(&columns, BYTES, message->bytes);
        from = message->from;
        sent = message->sent;
    }
    fprintf(stream, "\"messages\":{\"total\":%" PRId64 ",\"stride\":%" PRId64 ",\"count\":%zu,\n",
            messages->total, messages->stride, messages->count);
    const bool written = write_packed_columns(&columns, names, COUNT, stream);
    fputs("},\n", stream);
    return written;
}

enum { GAP, LENGTH, CALLPATH, WHAT, KEPT, CALLS, KIND, OTHER, COMPUTES, MPI, WAITS, PIECE_COLUMNS };

/* `what` of a piece: 1 waits, 2 is mixed. Returns its end. */
static int64_t put_piece(struct packed_columns *columns, const struct timeline_piece *piece,
                         int64_t time)
{
    columns_put(columns, GAP, (uint64_t)(piece->begin - time));
    columns_put(columns, LENGTH, (uint64_t)(piece->end - piece->begin));
    columns_put(columns, CALLPATH, piece->callpath);
    columns_put(columns, WHAT, (piece->waits ? 1u : 0u) + (piece->mixed ? 2u : 0u));
    columns_put(columns, KEPT, piece->kept);
    columns_put(columns, CALLS, piece->calls);
    if (piece->waits) {
        columns_put(columns, KIND, piece->kind);
        columns_put(columns, OTHER,
                    piece->other_rank == INDEX_NONE ? 0 : piece->other_rank + (uint64_t)1);
    }
    for (int i = 0; piece->mixed && i < TIMELINE_ACTIVITIES; i++)
        columns_put(columns, COMPUTES + i, piece->shares[i]);
    return piece->end;
}

/* Puts the pieces of a row from `piece` on, and returns the first one of another row. */
static const struct timeline_piece *put_row(const struct timeline_data *data,
                                            const struct timeline_piece *piece, uint32_t rank,
                                            uint32_t thread, struct packed_columns *columns)
{
    const struct timeline_piece *end = data->pieces + data->piece_count;
    for (int64_t time = 0; piece < end && piece->rank == rank && piece->thread == thread; piece++)
        time = put_piece(columns, piece, time);
    return piece;
}

/* "rows": [rank, thread, number of its pieces, ...]; thread 0 is the rank, which has a row also
 * without pieces. */
static void put_rows(const struct timeline_data *data, struct packed_columns *columns, FILE *stream)
{
    const struct timeline_piece *end = data->pieces + data->piece_count, *piece = data->pieces;
    const char *separator = "";
    fputs("\"rows\":[", stream);
    for (uint32_t rank = 0; rank < data->timeline->trace->rank_count; rank++) {
        uint32_t thread = 0;
        if (!data->shown[rank])
            continue;
        do {
            const struct timeline_piece *first = piece;
            piece = put_row(data, first, rank, thread, columns);
            fprintf(stream, "%s%" PRIu32 ",%" PRIu32 ",%td", separator, rank, thread,
                    piece - first);
            separator = ",";
            thread = piece < end ? piece->thread : 0;
        } while (piece < end && piece->rank == rank);
    }
    fputs("],\n", stream);
}

static bool write_pieces(const struct timeline_data *data, FILE *stream)
{
    static const char *const names[PIECE_COLUMNS] = {"gap",      "length", "callpath", "what",
                                                     "kept",     "calls",  "kind",     "other",
                                                     "computes", "mpi",    "waits"};
    struct packed_columns columns = {0};
    put_rows(data, &columns, stream);
    fprintf(stream, "\"pieces\":{\"count\":%zu,\n", data->piece_count);
    const bool written = write_packed_columns(&columns, names, PIECE_COLUMNS, stream);
    fputs("}", stream);
    return written;
}

bool timeline_json_write(const struct timeline_data *data, FILE *stream)
{
    assert(data->timeline->path_count == 0 || data->places);
    const struct timeline_input *timeline = data->timeline;
    const struct trace *trace = timeline->trace;
    uint32_t *numbers = calloc(trace->definitions->region_count + 1ul, sizeof *numbers);
    bool written = numbers;
    fprintf(stream, "{\"name\":\"%s\",\"trace\":", timeline->name);
    written = written && page_value(json_text(trace->path), stream);
    fprintf(stream,
            ",\n\"predicted\":%s,\"ranks\":%" PRIu32 ",\"ticks_per_second\":%" PRIu64
            ",\"length\":%" PRIu64 ",\"threshold\":%" PRId64 ",\n",
            timeline->predicted ? "true" : "false", trace->rank_count,
            trace->definitions->ticks_per_second, trace->end - trace->begin, data->threshold);
    fputs("\"wait_kinds\":[\"waiting\"", stream);
    for (enum wait_state kind = WAIT_STATE_NONE + 1; kind < WAIT_STATE_COUNT; kind++)
        fprintf(stream, ",\"%s\"", wait_state_name(kind));
    fputs(",\"Wait for Threads\"],\n", stream);
    written = written && write_used_regions(data, numbers, stream);
    if (written)
        write_callpaths(data, numbers, stream);
    free(numbers);
    if (timeline->has_path)
        write_domino_path(data, stream);
    if (timeline->bands) {
        fputs("\"bands\":", stream);
        written = timeline->bands->write(timeline->bands->what, stream) && written;
        fputs(",\n", stream);
    }
    written = written && write_messages(data->messages, stream);
    written = written && write_pieces(data, stream);
    fputs("}", stream);
    return written && !ferror(stream);
}
