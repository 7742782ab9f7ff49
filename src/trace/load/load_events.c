#include "base/log.h"
#include "base/progress.h"
#include "trace/load/event_files.h"
#include "trace/load/load_builder.h"
#include "trace/otf2_error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status register_callbacks(struct stream_builder *b, OTF2_EvtReader *reader)
{
    struct event_source *source = b->source;
    OTF2_EvtReaderCallbacks *on = OTF2_EvtReaderCallbacks_New();
    if (!on)
        return error_memory(b->error, "the events of the trace");
    load_regions_register(on);
    load_messages_register(on);
    load_collectives_register(on);
    load_windows_register(on);
    load_others_register(on);
    OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(source->reader, reader, on, b);
    OTF2_EvtReaderCallbacks_Delete(on);
    OTF2_EvtReader_ApplyMappingTables(reader, source->has_mappings);
    OTF2_EvtReader_ApplyClockOffsets(reader, source->has_clock_offsets);
    return code == OTF2_SUCCESS ? STATUS_OK : error_memory(b->error, "the events of the trace");
}

enum status event_reader_read(struct event_reader *reader, uint64_t records, bool *ended)
{
    assert(reader->builder && records > 0);
    struct stream_builder *b = reader->builder;
    struct event_source *source = b->source;
    uint64_t read = 0;
    OTF2_ErrorCode code =
        records == UINT64_MAX
            ? OTF2_Reader_ReadAllLocalEvents(source->reader, reader->reader, &read)
            : OTF2_Reader_ReadLocalEvents(source->reader, reader->reader, records, &read);
    *ended = read < records;
    b->records += read;
    if (b->status != STATUS_OK)
        return b->status;
    if (code != OTF2_SUCCESS)
        return error_set(b->error, STATUS_INPUT,
                         "%s: the events of %s cannot be read beyond event %u (%s); is the archive "
                         "complete?",
                         source->path, reader->who, b->count, otf2_error_text(code));
    return STATUS_OK;
}

/* Columns up to this size are copied. They were allocated between the buffers of OTF2, where each
 * of them would keep a whole page: a third of the memory of a trace with many short locations.
 * AddressSanitizer checks the bounds of columns only if they are not copied. */
#ifdef __SANITIZE_ADDRESS__
enum { COPIED_BYTES = 0 };
#else
enum { COPIED_BYTES = 16 * 1024 };
#endif

/* Moves a finished column into the arena, cut to its length. False when memory is out. */
static bool adopt_column(struct stream_builder *b, void **from, void *to, size_t bytes)
{
    void *adopted = NULL;
    if (bytes <= COPIED_BYTES) {
        adopted = arena_memdup(b->source->arena, *from, bytes);
        free(*from);
    } else {
        void *exact = realloc(*from, bytes);
        if (exact)
            *from = exact;
        adopted = arena_adopt(b->source->arena, *from);
    }
    *from = NULL;
    memcpy(to, &adopted, sizeof adopted);
    return adopted != NULL;
}

static enum status stream_builder_finish(struct stream_builder *b)
{
    struct stream *s = b->stream;
    bool allocated = adopt_column(b, (void **)&b->time, &s->time, b->count * sizeof *s->time) &&
                     adopt_column(b, (void **)&b->kind, &s->kind, b->count * sizeof *s->kind) &&
                     adopt_column(b, (void **)&b->arg, &s->arg, b->count * sizeof *s->arg) &&
                     adopt_column(b, (void **)&b->window_bytes, &s->window_bytes,
                                  b->source->definitions->window_count * sizeof *s->window_bytes);
    s->count = b->count;
#define X(table, number)                                                          \
    s->number = (uint32_t)b->table.count;                                         \
    allocated = allocated && adopt_column(b, (void **)&b->table.items, &s->table, \
                                          s->number * sizeof *s->table);
    STREAM_TABLES(X)
#undef X
    return allocated ? STATUS_OK : error_memory(b->error, "the events of the trace");
}

/* Stores the ends that merge_threads will join. */
static enum status keep_ends(struct stream_builder *b)
{
    struct arena *arena = b->source->arena;
    if (!b->has_siblings)
        return STATUS_OK;
    struct thread_ends *ends =
        stream_builder_note_open(b) ? arena_alloc(arena, sizeof *ends) : NULL;
    if (!ends)
        return error_memory(b->error, "the events of the trace");
    ends->begun = arena_memdup(arena, b->begun.items, b->begun.count * sizeof *ends->begun);
    ends->ended = arena_memdup(arena, b->ended.items, b->ended.count * sizeof *ends->ended);
    ends->begun_count = (uint32_t)b->begun.count;
    ends->ended_count = (uint32_t)b->ended.count;
    b->stream->ends = ends;
    return ends->begun && ends->ended ? STATUS_OK
                                      : error_memory(b->error, "the events of the trace");
}

static void stream_builder_clear(struct stream_builder *b) /* NULL is allowed */
{
    if (!b)
        return;
    free(b->begun.items);
    free(b->ended.items);
    map_clear(&b->probes);
    map_clear(&b->dropped);
    free(b->time);
    free(b->kind);
    free(b->arg);
    free(b->stack.items);
    free(b->forced.items);
    free(b->window_bytes);
#define X(table, number) free(b->table.items);
    STREAM_TABLES(X)
#undef X
    map_clear(&b->requests);
    free(b);
}

static void name_location(const struct location *location, uint32_t rank, char *who, size_t size)
{
    if (location->master)
        snprintf(who, size, "rank %u", rank);
    else
        snprintf(who, size, "location %llu", (unsigned long long)location->id);
}

/* A builder without events and with memory for `rows`. Clear it with stream_builder_clear. NULL and
 * an error when memory is out. */
static struct stream_builder *stream_builder_create(struct event_source *source,
                                                    struct stream *stream, uint64_t rows,
                                                    struct error *error)
{
    struct stream_builder *b = calloc(1, sizeof *b);
    size_t windows = source->definitions->window_count;
    if (b)
        b->window_bytes = malloc((windows + 1) * sizeof *b->window_bytes);
    if (!b || !b->window_bytes || (rows && !stream_builder_resize(b, (uint32_t)rows + 16))) {
        stream_builder_clear(b);
        error_memory(error, "the events of the trace");
        return NULL;
    }
    memset(b->window_bytes, 0xff, windows * sizeof *b->window_bytes); /* unknown */
    b->source = source;
    b->stream = stream;
    b->error = error;
    b->open_collective = INDEX_NONE;
    b->in_place_recorded =
        definitions_property(source->definitions, SILAS_PROPERTY_IN_PLACE) != NULL;
    b->has_siblings = source->definitions->locations[stream->location].has_siblings;
    for (size_t i = 0; i < CHILD_CACHE; i++)
        b->child_cache[i].key = CHILD_NONE;
    return b;
}

static enum status open_location(struct event_source *source, struct stream *stream, uint64_t rows,
                                 struct event_reader *opened, struct error *error)
{
    const struct location *location = &source->definitions->locations[stream->location];
    uint64_t whole;
    opened->reader = OTF2_Reader_GetEvtReader(source->reader, location->id);
    if (!opened->reader)
        return error_set(error, STATUS_INPUT, "%s: the event file of %s cannot be opened (%s)",
                         source->path, opened->who, otf2_error_text(OTF2_ERROR_FILE_INTERACTION));
    if (source->files && !event_files_whole(source->files, location->id, &whole))
        return error_set(error, STATUS_INPUT,
                         "%s: the events of %s cannot be read beyond event %" PRIu64
                         ": the file ends there, or the next record is damaged; is the archive "
                         "complete?",
                         source->path, opened->who, whole);
    opened->builder = stream_builder_create(source, stream, rows, error);
    return opened->builder ? register_callbacks(opened->builder, opened->reader)
                           : STATUS_ENVIRONMENT;
}

enum status event_reader_open(struct event_source *source, struct stream *stream, uint64_t rows,
                              struct event_reader *opened, struct error *error)
{
    const struct location *location = &source->definitions->locations[stream->location];
    *opened = (struct event_reader){.source = source};
    name_location(location, stream->rank, opened->who, sizeof opened->who);
    enum status status = open_location(source, stream, rows, opened, error);
    if (status != STATUS_OK)
        event_reader_close(opened);
    return status;
}

void event_reader_close(struct event_reader *reader)
{
    if (reader->reader && reader->source->reader)
        OTF2_Reader_CloseEvtReader(reader->source->reader, reader->reader);
    stream_builder_clear(reader->builder);
    *reader = (struct event_reader){0};
}

/* Records between two reports of progress: a few hundredths of a second. */
enum { RECORDS_AT_ONCE = 1 << 20 };

/* After the last record of a location: closes open regions and fills the stream. */
static enum status stream_builder_complete(struct stream_builder *b, uint32_t *closed)
{
    struct event_source *source = b->source;
    const uint64_t used = (uint64_t)b->count - b->added_rows + b->cut_off;
    source->dropped += b->records > used ? b->records - used : 0;
    enum status status = load_regions_close(b, closed);
    if (status == STATUS_OK && b->backwards) {
        char who[96];
        name_location(&source->definitions->locations[b->stream->location], b->stream->rank, who,
                      sizeof who);
        log_warning("%s: time stamps of %s go backwards; they were raised to their predecessors'",
                    source->path, who);
    }
    if (status == STATUS_OK)
        status = keep_ends(b);
    if (status == STATUS_OK)
        status = stream_builder_finish(b);
    return status;
}

/* The number of rows for which memory is allocated at first. */
static uint64_t expected_rows(const struct event_source *source, const struct stream *stream)
{
    const uint64_t expected = source->definitions->locations[stream->location].events;
    return expected < UINT32_MAX / 4 ? expected : 0;
}

enum status load_event_file(struct event_source *source, struct stream *stream, uint32_t *closed,
                            bool *usual, struct error *error)
{
    assert(source->files && stream->location < source->definitions->location_count);
    struct stream_builder *b =
        stream_builder_create(source, stream, expected_rows(source, stream), error);
    *usual = true;
    if (!b)
        return STATUS_ENVIRONMENT;
    *usual = event_files_read(source->files, b);
    enum status status = *usual ? b->status : STATUS_OK;
    if (status == STATUS_OK && *usual)
        status = stream_builder_complete(b, closed);
    stream_builder_clear(b);
    return status;
}

enum status load_events(struct event_source *source, struct stream *stream, uint32_t *closed,
                        struct error *error)
{
    assert(stream->location < source->definitions->location_count);
    struct event_reader reader;
    bool ended;
    enum status status =
        event_reader_open(source, stream, expected_rows(source, stream), &reader, error);
    if (status != STATUS_OK)
        return status;
    for (ended = false; status == STATUS_OK && !ended; progress_add(RECORDS_AT_ONCE))
        status = event_reader_read(&reader, RECORDS_AT_ONCE, &ended);
    if (status == STATUS_OK)
        status = stream_builder_complete(reader.builder, closed);
    event_reader_close(&reader);
    return status;
}
