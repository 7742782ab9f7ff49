#include "measure/reduce/reduce.h"

#include "measure/reduce/reduce_private.h"

#include "base/log.h"
#include "base/otf2_attributes.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ROUND = 1024,          /* entries that a rank reads before the next one does */
    WINDOW = 4096,         /* entries that are read ahead as long as there is something to do */
    MOST_ENTRIES = 1 << 16 /* that a rank holds; then the first one stays, decided or not */
};

/* NULL: the run can be reduced; otherwise why not. */
static const char *obstacle(const struct reduction *reduction)
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

static bool open_record_stream(struct reduction *reduction, uint32_t rank)
{
    struct stream *stream = &reduction->streams[rank];
    reduction->status = source_open(&stream->source, reduction->directory, rank,
                                    getenv(REDUCTION_ENV_WHOLE) != NULL, &reduction->error);
    return !reduction->status && stream_emit_open(stream);
}

static bool prepare_streams(struct reduction *reduction)
{
    const struct run_assumptions *assumptions = reduction->assumptions;
    bool opened = true;
    if (assumptions->regions && !(reduction->symbols = function_symbols_open()))
        return reduction_no_memory(reduction);
    for (uint32_t rank = 0; rank < reduction->size && opened; rank++)
        opened = open_record_stream(reduction, rank);
    const struct record_header *header = &reduction->streams[0].source.header;
    double rate = header->tsc ? round(record_rate(&header->first, &header->last)) : 1e9;
    double least = assumptions_least_wait(&assumptions->list) * rate;
    reduction->ticks_per_second = rate > 0 ? rate : 1e9;
    reduction->least_wait = least < 9e18 ? (int64_t)floor(least) : INT64_MAX;
    return opened;
}

static void begin_stream(struct reduction *reduction, uint32_t rank)
{
    struct stream *stream = &reduction->streams[rank];
    *stream = (struct stream){.reduction = reduction,
                              .rank = rank,
                              .source = {.file = -1},
                              .free_pending = UINT32_MAX - 1,
                              .difference = difference_zero(),
                              .naming = naming_of(rank)};
}

enum status reduction_open(const char *directory, uint32_t size,
                           const struct run_assumptions *assumptions, struct reduction **result,
                           struct error *error)
{
    struct reduction *reduction = calloc(1, sizeof *reduction);
    *result = NULL;
    if (reduction)
        reduction->streams = calloc(size, sizeof *reduction->streams);
    if (!reduction || !reduction->streams) {
        free(reduction);
        return error_memory(error, "the reduction");
    }
    reduction->directory = directory;
    reduction->assumptions = assumptions;
    reduction->size = size;
    reduction->naming = naming_of(size);
    for (uint32_t rank = 0; rank < size; rank++)
        begin_stream(reduction, rank);
    for (uint32_t rank = 0; rank < size && !reduction->status; rank++)
        reduction->status = rank_definitions_read(
            directory, rank, &reduction->streams[rank].definitions, &reduction->error);
    const char *why = reduction->status ? NULL : obstacle(reduction);
    if (why)
        log_note("nothing is reduced: %s; silas-reduce can reduce the archive", why);
    if (!why && !reduction->status && prepare_streams(reduction)) {
        *result = reduction;
        return STATUS_OK;
    }
    enum status status = reduction->status;
    if (status)
        *error = reduction->error;
    reduction_close(reduction);
    return status;
}

static bool reduce_once(struct reduction *reduction)
{
    bool progress = false;
    for (uint32_t rank = 0; rank < reduction->size; rank++) {
        struct stream *stream = &reduction->streams[rank];
        if (stream->entries < WINDOW)
            progress |= stream_parse(stream, ROUND);
        progress |= stream_evaluate(stream);
        progress |= stream_emit(stream);
    }
    return progress;
}

/* When nothing can be decided by what is read: reads more, of the ranks that hold least. */
static bool read_further(struct reduction *reduction, size_t most)
{
    bool progress = false;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        if (reduction->streams[rank].entries < most)
            progress |= stream_parse(&reduction->streams[rank], WINDOW);
    return progress;
}

/* When there is no more room: lets the first entries stay. */
static bool force(struct reduction *reduction)
{
    bool progress = false;
    for (uint32_t rank = 0; rank < reduction->size; rank++) {
        struct stream *stream = &reduction->streams[rank];
        if (stream->entries < MOST_ENTRIES || !stream->first->evaluated)
            continue;
        stream_force(stream);
        progress |= stream_emit(stream);
    }
    return progress;
}

static void reduce_available(struct reduction *reduction)
{
    while (!reduction->status &&
           (reduce_once(reduction) || read_further(reduction, MOST_ENTRIES) || force(reduction)))
        ;
}

enum status reduction_step(struct reduction *reduction, struct error *error)
{
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
static bool mark_whole(const struct reduction *reduction, const char *whole)
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
    fwrite(&reduction->streams[0].source.header, sizeof(struct record_header), 1, file);
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
static bool keep_whole(struct reduction *reduction)
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

static enum status note_result(struct reduction *reduction)
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

static bool all_written(const struct reduction *reduction)
{
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        if (reduction->streams[rank].first || !reduction->streams[rank].parsed_all)
            return false;
    return true;
}

/* What is left when the program has ended: of a program that was aborted, calls may wait for others
 * that never came. */
static void run_rest(struct reduction *reduction)
{
    reduce_available(reduction);
    while (!reduction->status && read_further(reduction, SIZE_MAX))
        reduce_available(reduction);
    if (all_written(reduction) || reduction->status)
        return;
    reduction->gives_up = true;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        stream_give_up(&reduction->streams[rank]);
    reduce_available(reduction);
}

enum status reduction_finish(struct reduction *reduction, struct error *error)
{
    reduction->ends = true;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        reduction->streams[rank].source.ended = true;
    run_rest(reduction);
    bool closed = !reduction->status;
    for (uint32_t rank = 0; rank < reduction->size && closed; rank++)
        closed = stream_emit_close(&reduction->streams[rank]);
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

static void close_stream(struct stream *stream)
{
    source_close(&stream->source);
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
    map_clear(&stream->path_index);
}

void reduction_close(struct reduction *reduction)
{
    if (!reduction)
        return;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        close_stream(&reduction->streams[rank]);
    for (size_t i = 0; i < reduction->comms.count; i++)
        free(reduction->comms.items[i].operations.items);
    function_symbols_close(reduction->symbols);
    map_clear(&reduction->comm_index);
    map_clear(&reduction->channel_index);
    free(reduction->comms.items);
    free(reduction->channels.items);
    free(reduction->arrivals.items);
    free(reduction->streams);
    free(reduction);
}
