#include "measure/reduce/reduce.h"

#include "measure/reduce/reduce_private.h"

#include "base/log.h"
#include "base/otf2_attributes.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    ROUND = 1024,  /* entries that are read of a rank before those of the next rank */
    WINDOW = 4096, /* no more entries of a rank are read in advance while others can be decided */
    MOST_ENTRIES = 1 << 16 /* of a rank in memory; then its first entry stays, even if undecided */
};

/* Why the run cannot be reduced; NULL if it can. */
static const char *obstacle(const struct run_reduction *reduction)
{
    const struct rank_definitions *first = &reduction->streams[0].definitions;
    for (uint32_t rank = 0; rank < reduction->size; rank++) {
        const struct rank_definitions *own = &reduction->streams[rank].definitions;
        if (!own->present)
            return "a rank has no records";
        if (strcmp(own->boot_id, first->boot_id) != 0 || own->tsc != first->tsc)
            return "the ranks are on several hosts, whose clocks differ";
        if (own->threads)
            return "several of the program's threads may call MPI";
    }
    return NULL;
}

static bool open_record_stream(struct run_reduction *reduction, uint32_t rank)
{
    struct rank_stream *stream = &reduction->streams[rank];
    reduction->status = segment_reader_open(&stream->segments, reduction->directory, rank,
                                            getenv(REDUCTION_ENV_WHOLE) != NULL, &reduction->error);
    return !reduction->status && rank_stream_open_output(stream);
}

static bool prepare_streams(struct run_reduction *reduction)
{
    const struct run_assumptions *assumptions = reduction->assumptions;
    bool opened = true;
    if (assumptions->regions && !(reduction->symbols = function_symbols_open()))
        return run_reduction_no_memory(reduction);
    for (uint32_t rank = 0; rank < reduction->size && opened; rank++)
        opened = open_record_stream(reduction, rank);
    const struct record_header *header = &reduction->streams[0].segments.header;
    double rate = header->tsc ? round(record_rate(&header->first, &header->last)) : 1e9;
    double least = assumptions_least_wait(&assumptions->list) * rate;
    reduction->ticks_per_second = rate > 0 ? rate : 1e9;
    reduction->least_wait = least < 9e18 ? (int64_t)floor(least) : INT64_MAX;
    return opened;
}

static void begin_stream(struct run_reduction *reduction, uint32_t rank)
{
    struct rank_stream *stream = &reduction->streams[rank];
    *stream = (struct rank_stream){.reduction = reduction,
                                   .rank = rank,
                                   .segments = {.file = -1},
                                   .free_pending = UINT32_MAX - 1,
                                   .moment = moments_use(reduction->moments, MOMENT_START)};
}

enum status run_reduction_open(const char *directory, uint32_t size,
                               const struct run_assumptions *assumptions,
                               struct run_reduction **result, struct error *error)
{
    assert(size > 0);
    struct run_reduction *reduction = calloc(1, sizeof *reduction);
    *result = NULL;
    if (reduction) {
        reduction->streams = calloc(size, sizeof *reduction->streams);
        reduction->moments = moments_open(MOMENTS_TERMS, size);
    }
    if (!reduction || !reduction->streams || !reduction->moments) {
        run_reduction_close(reduction);
        return error_memory(error, "the reduction");
    }
    reduction->directory = directory;
    reduction->assumptions = assumptions;
    reduction->size = size;
    for (uint32_t rank = 0; rank < size; rank++)
        begin_stream(reduction, rank);
    for (uint32_t rank = 0; rank < size && !reduction->status; rank++)
        reduction->status = rank_definitions_read(
            directory, rank, &reduction->streams[rank].definitions, &reduction->error);
    const char *why = reduction->status ? NULL : obstacle(reduction);
    if (why)
        log_note("the run is not reduced: %s; silas-reduce can reduce its archive", why);
    if (!why && !reduction->status && prepare_streams(reduction)) {
        *result = reduction;
        return STATUS_OK;
    }
    enum status status = reduction->status;
    if (status)
        *error = reduction->error;
    run_reduction_close(reduction);
    return status;
}

static bool reduce_once(struct run_reduction *reduction)
{
    bool progress = false;
    for (uint32_t rank = 0; rank < reduction->size; rank++) {
        struct rank_stream *stream = &reduction->streams[rank];
        if (stream->entries < WINDOW)
            progress |= rank_stream_read(stream, ROUND);
        progress |= rank_stream_evaluate(stream);
        progress |= rank_stream_emit(stream);
    }
    return progress;
}

/* Called when nothing can be decided. Reads more entries of the ranks that have fewer than `most`.
 */
static bool read_further(struct run_reduction *reduction, size_t most)
{
    bool progress = false;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        if (reduction->streams[rank].entries < most)
            progress |= rank_stream_read(&reduction->streams[rank], WINDOW);
    return progress;
}

/* Called when ranks have the largest number of entries. Keeps the first entry of each of them. */
static bool force(struct run_reduction *reduction)
{
    bool progress = false;
    for (uint32_t rank = 0; rank < reduction->size; rank++) {
        struct rank_stream *stream = &reduction->streams[rank];
        if (stream->entries < MOST_ENTRIES || !stream->first->evaluated)
            continue;
        rank_stream_keep_first(stream);
        progress |= rank_stream_emit(stream);
    }
    return progress;
}

static void reduce_available(struct run_reduction *reduction)
{
    while (!reduction->status &&
           (reduce_once(reduction) || read_further(reduction, MOST_ENTRIES) || force(reduction)))
        ;
}

enum status run_reduction_step(struct run_reduction *reduction, struct error *error)
{
    assert(!reduction->ends);
    reduce_available(reduction);
    if (reduction->status)
        *error = reduction->error;
    return reduction->status;
}

static bool copy_file(const char *from, const char *to)
{
    FILE *source = fopen(from, "rbe"), *target = fopen(to, "wbe");
    char block[1 << 16];
    bool copied = source && target;
    for (size_t size; copied && (size = fread(block, 1, sizeof block, source)) > 0;)
        copied = fwrite(block, 1, size, target) == size;
    if (source)
        fclose(source);
    return target && fclose(target) == 0 && copied;
}

/* Adds the clock's rate and the machine of the reduction to the whole records in `whole`. */
static bool mark_whole(const struct run_reduction *reduction, const char *whole)
{
    const struct run_machine *machine = &reduction->assumptions->machine;
    static const char name[] = SILAS_PROPERTY_MACHINE;
    char text[512];
    folded_machine_text(machine->latency, machine->per_byte, machine->synchronous_from, text,
                        sizeof text);
    uint32_t lengths[] = {sizeof name - 1, (uint32_t)strlen(text)};
    uint32_t head[] = {DEFINITION_PROPERTY, sizeof lengths + lengths[0] + lengths[1]};
    FILE *file = fopen(record_path_of_thread(whole, 0, 0).text, "r+be");
    if (!file)
        return false;
    fwrite(&reduction->streams[0].segments.header, sizeof(struct record_header), 1, file);
    fclose(file);
    file = fopen(record_path_of_rank(whole, 0, "definitions").text, "abe");
    if (!file)
        return false;
    fwrite(head, sizeof head, 1, file);
    fwrite(&lengths[0], sizeof lengths[0], 1, file);
    fwrite(name, lengths[0], 1, file);
    fwrite(&lengths[1], sizeof lengths[1], 1, file);
    fwrite(text, lengths[1], 1, file);
    return !(ferror(file) | fclose(file));
}

/* For tests: keeps the whole records, of which silas-trace --recover makes the whole archive. */
static bool keep_whole(struct run_reduction *reduction)
{
    static const char *const kinds[] = {"definitions", "0.events"};
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/whole", reduction->directory);
    mkdir(whole, 0777);
    mkdir(record_path(whole, "").text, 0777);
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (!copy_file(record_path_of_rank(reduction->directory, rank, kinds[k]).text,
                           record_path_of_rank(whole, rank, kinds[k]).text))
                return false;
    return mark_whole(reduction, whole);
}

static enum status note_result(struct run_reduction *reduction)
{
    const struct record_path path = record_path(reduction->directory, "reduced");
    const struct record_path temporary = record_path(reduction->directory, "reduced.new");
    FILE *file = fopen(temporary.text, "wbe");
    const struct run_machine *machine = &reduction->assumptions->machine;
    if (file)
        fprintf(file, "%.0f\n%a %a %" PRIu64 "\n%s\n", reduction->ticks_per_second,
                machine->latency, machine->per_byte, machine->synchronous_from,
                reduction->assumptions->text);
    if (file && !(ferror(file) | fclose(file)) && rename(temporary.text, path.text) == 0)
        return STATUS_OK;
    return error_set(&reduction->error, STATUS_ENVIRONMENT, "cannot write %s: %s", path.text,
                     strerror(errno));
}

static bool all_written(const struct run_reduction *reduction)
{
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        if (reduction->streams[rank].first || !reduction->streams[rank].parsed_all)
            return false;
    return true;
}

/* Reduces the remaining entries when the program has ended. If it was aborted, calls may wait for
 * messages that were never sent; then everything undecided stays. */
static void run_rest(struct run_reduction *reduction)
{
    reduce_available(reduction);
    while (!reduction->status && read_further(reduction, SIZE_MAX))
        reduce_available(reduction);
    if (all_written(reduction) || reduction->status)
        return;
    reduction->gives_up = true;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        rank_stream_keep_rest(&reduction->streams[rank]);
    reduce_available(reduction);
}

enum status run_reduction_finish(struct run_reduction *reduction, struct error *error)
{
    assert(!reduction->ends);
    reduction->ends = true;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        reduction->streams[rank].segments.ended = true;
    run_rest(reduction);
    bool closed = !reduction->status;
    for (uint32_t rank = 0; rank < reduction->size && closed; rank++)
        closed = rank_stream_close_output(&reduction->streams[rank]);
    if (closed && getenv(REDUCTION_ENV_WHOLE) && !keep_whole(reduction))
        log_warning("cannot keep the whole records in %s/whole", reduction->directory);
    if (!reduction->status)
        reduction->status = note_result(reduction);
    if (!reduction->status)
        reduction->status =
            archive_take_reduced(reduction->directory, reduction->size, &reduction->error);
    if (reduction->status)
        *error = reduction->error;
    return reduction->status;
}

static void close_stream(struct rank_stream *stream)
{
    segment_reader_close(&stream->segments);
    if (stream->out.file)
        fclose(stream->out.file);
    if (stream->definitions.arena)
        rank_definitions_free(&stream->definitions);
    for (size_t i = 0; i < stream->comms.count; i++) {
        if (stream->comms.items[i].inter)
            free(stream->comms.items[i].peers);
        free(stream->comms.items[i].members);
    }
    free(stream->regions.items);
    free(stream->comms.items);
    free(stream->pending.items);
    free(stream->visits.items);
    free(stream->paths.items);
    map_clear(&stream->requests);
    map_clear(&stream->probes);
    map_clear(&stream->starts);
    map_clear(&stream->path_index);
}

void run_reduction_close(struct run_reduction *reduction)
{
    if (!reduction)
        return;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        close_stream(&reduction->streams[rank]);
    for (size_t i = 0; i < reduction->comms.count; i++)
        free(reduction->comms.items[i].operations.items);
    moments_close(reduction->moments);
    function_symbols_close(reduction->symbols);
    map_clear(&reduction->comm_index);
    map_clear(&reduction->persistent_index);
    map_clear(&reduction->channel_index);
    free(reduction->comms.items);
    free(reduction->channels.items);
    free(reduction->arrivals.items);
    free(reduction->streams);
    free(reduction);
}
