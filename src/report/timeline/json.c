#include "report/timeline/parts.h"

#include "report/utf8.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- pieces ----------------------------------------------------------------------------------- */

void timeline_json_row_begin(FILE *stream, uint32_t rank)
{
    fprintf(stream, "[%" PRIu32 ",[", rank);
}

void timeline_json_piece(FILE *stream, const struct timeline_piece *piece, int64_t *end)
{
    uint64_t code =
        (uint64_t)piece->callpath * 4 + (piece->waits ? 1u : 0u) + (piece->mixed ? 2u : 0u);
    /* `end` is 0 only before the first piece: no piece ends at 0 */
    fprintf(stream, "%s%" PRId64 ",%" PRId64 ",%" PRIu64, *end == 0 ? "" : ",", piece->begin - *end,
            piece->end - piece->begin, code);
    *end = piece->end;
}

void timeline_json_row_end(FILE *stream)
{
    fputs("]],\n", stream);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Escapes all special characters of HTML, so that no text can end the script around it. */
static bool write_text(FILE *stream, const char *text)
{
    char *clean = utf8_clean(text);
    if (!clean)
        return false;
    putc('"', stream);
    for (const unsigned char *c = (unsigned char *)clean; *c; c++)
        if (*c < 0x20 || *c == 0x7f || *c == '"' || *c == '\\' || *c == '<' || *c == '>' ||
            *c == '&' || *c == '\'')
            fprintf(stream, "\\u%04x", *c);
        else
            putc(*c, stream);
    putc('"', stream);
    free(clean);
    return true;
}

/* "regions": [name, is it of MPI, ...] of the used ones; numbers[region] are their indices. */
static bool write_regions(const struct timeline_data *data, uint32_t *numbers, FILE *stream)
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
        if (!write_text(stream, region->name))
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

/* --- path and messages ------------------------------------------------------------------------ */

static int64_t or_none(int64_t callpath)
{
    return callpath == (int64_t)CALLPATH_NONE ? -1 : callpath;
}

static void write_path(const struct timeline_data *data, FILE *stream)
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

/* Five numbers each: sender, when, receiver, how long, bytes. */
static void write_messages(const struct timeline_messages *messages, FILE *stream)
{
    fprintf(stream, "\"message_total\":%" PRId64 ",\"message_stride\":%" PRId64 ",\"messages\":[",
            messages->total, messages->stride);
    for (size_t i = 0; i < messages->count; i++) {
        const struct timeline_message *message = &messages->items[i];
        fprintf(stream, "%s%" PRIu32 ",%" PRId64 ",%" PRIu32 ",%" PRId64 ",%" PRIu64,
                i == 0 ? "\n" : ",\n", message->from, message->sent, message->to,
                message->received - message->sent, message->bytes);
    }
    fputs("],\n", stream);
}

bool timeline_json_write(const struct timeline_data *data, FILE *stream)
{
    const struct timeline_input *timeline = data->timeline;
    const struct trace *trace = timeline->trace;
    uint32_t *numbers = calloc(trace->definitions->region_count + 1ul, sizeof *numbers);
    bool written = numbers;
    fputs("{\"format\":1,\n\"trace\":", stream);
    written = written && write_text(stream, trace->path);
    fprintf(stream,
            ",\n\"predicted\":%s,\"ranks\":%" PRIu32 ",\"ticks_per_second\":%" PRIu64
            ",\"length\":%" PRIu64 ",\"threshold\":%" PRId64 ",\n",
            timeline->predicted ? "true" : "false", trace->rank_count,
            trace->definitions->ticks_per_second, trace->end - trace->begin, data->threshold);
    written = written && write_regions(data, numbers, stream);
    if (written)
        write_callpaths(data, numbers, stream);
    write_path(data, stream);
    write_messages(data->messages, stream);
    if (timeline->bands) {
        fputs("\"bands\":", stream);
        written = timeline->bands->write(timeline->bands->what, stream) && written;
        fputs(",\n", stream);
    }
    fputs("\"rows\":[\n", stream);
    if (data->rows_size > 2) /* without the last comma */
        fwrite(data->rows, 1, data->rows_size - 2, stream);
    fputs("]}\n", stream);
    free(numbers);
    return written && !ferror(stream);
}
