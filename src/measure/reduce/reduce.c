#include "measure/reduce/reduce.h"

#include "measure/reduce/clock_exchange.h"
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

/* Seconds between two looks at what the keepers of other hosts have written. */
static const double UPDATE_S = 0.05;

/* Whether all ranks have files of records. */
static bool all_are_there(const struct run_reduction *reduction)
{
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        if (!reduction->streams[rank].definitions.present)
            return false;
    return true;
}

/* Why the run cannot be reduced; NULL if it can. */
static const char *obstacle(const struct run_reduction *reduction)
{
    const struct rank_definitions *first = &reduction->streams[0].definitions;
    if (!all_are_there(reduction))
        return "a rank has no records";
    for (uint32_t rank = 0; rank < reduction->size; rank++) {
        const struct rank_definitions *own = &reduction->streams[rank].definitions;
        if (own->tsc != first->tsc)
            return "the ranks are on hosts whose clocks count in different units";
        if (own->threads)
            return "several of the program's threads may call MPI";
    }
    return NULL;
}

/* Gives the ranks the clocks of their hosts. */
static bool open_clocks(struct run_reduction *reduction)
{
    const char *first = reduction->streams[0].definitions.boot_id;
    bool room = array_reserve(&reduction->clocks, reduction->size); /* streams point into it */
    for (uint32_t rank = 0; rank < reduction->size && room; rank++) {
        const char *own = reduction->streams[rank].definitions.boot_id;
        size_t i = 0;
        if (strcmp(own, first) == 0)
            continue;
        while (i < reduction->clocks.count && strcmp(reduction->clocks.items[i].boot_id, own) != 0)
            i++;
        if (i == reduction->clocks.count) {
            struct host_clock clock;
            host_clock_open(&clock, reduction->directory, own, rank);
            room = array_push(&reduction->clocks, clock);
        }
        reduction->streams[rank].clock = &reduction->clocks.items[i];
    }
    return room || run_reduction_no_memory(reduction);
}

static bool open_record_stream(struct run_reduction *reduction, uint32_t rank)
{
    struct rank_stream *stream = &reduction->streams[rank];
    reduction->status =
        segment_reader_open(&stream->segments, reduction->directory, rank, stream->clock != NULL,
                            getenv(REDUCTION_ENV_WHOLE) != NULL, &reduction->error);
    return !reduction->status && rank_stream_open_output(stream);
}

static bool prepare_streams(struct run_reduction *reduction)
{
    const struct run_assumptions *assumptions = reduction->assumptions;
    bool opened = open_clocks(reduction);
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
                               const struct run_assumptions *assumptions, bool *later,
                               struct run_reduction **result, struct error *error)
{
    assert(size > 0);
    struct run_reduction *reduction = calloc(1, sizeof *reduction);
    *result = NULL;
    if (later)
        *later = false;
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
    if (later && !reduction->status && !all_are_there(reduction)) {
        *later = true;
        run_reduction_close(reduction);
        return STATUS_OK;
    }
    const char *why = reduction->status ? NULL : obstacle(reduction);
    if (why)
        log_note("the run is not reduced: %s; silas-reduce can reduce its archive", why);
    if (!why && !reduction->status && prepare_streams(reduction)) {
        if (reduction->clocks.count > 0)
            clock_server_begin(directory,
                               &(struct clock){.tsc = reduction->streams[0].definitions.tsc});
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

/* Reads what the keepers of other hosts have written: not in each step, of which there may be many
 * per second. */
static void update_hosts(struct run_reduction *reduction)
{
    const double now = clock_seconds();
    if (reduction->clocks.count == 0 || now < reduction->next_update)
        return;
    reduction->next_update = now + UPDATE_S;
    for (uint32_t rank = 0; rank < reduction->size; rank++)
        segment_reader_update(&reduction->streams[rank].segments);
    for (size_t i = 0; i < reduction->clocks.count && !reduction->status; i++)
        reduction->status = host_clock_update(&reduction->clocks.items[i], &reduction->error);
}

/* Without a comparison of clocks in this time, the hosts cannot reach each other; see
 * clock_exchange_path. */
static const double SILENT_S = 5;

static double recorded_s(const struct record_header *header, double rate)
{
    return rate > 0 ? (double)(header->last.ticks - header->first.ticks) / rate : 0;
}

static void warn_of_silence(const struct run_reduction *reduction, size_t silent)
{
    if (silent > 0)
        log_warning("%zu of %zu hosts could not compare their clocks with that of rank 0's host by "
                    "UDP, so nothing was reduced while the program ran: all records were on disk "
                    "until it ended",
                    silent, reduction->clocks.count + 1);
}

/* The program has ended: completes the lines of the hosts' clocks. */
static void finish_clocks(struct run_reduction *reduction)
{
    size_t silent = 0;
    for (size_t i = 0; i < reduction->clocks.count && !reduction->status; i++) {
        struct host_clock *clock = &reduction->clocks.items[i];
        struct record_header header = {0};
        segment_reader_header(&reduction->streams[clock->rank].segments, &header);
        const double own = record_rate(&header.first, &header.last);
        reduction->status = host_clock_finish(clock, header.last.ticks, own,
                                              reduction->ticks_per_second, &reduction->error);
        silent += !clock->compared && recorded_s(&header, own) > SILENT_S;
    }
    warn_of_silence(reduction, silent);
    for (uint32_t rank = 0; rank < reduction->size && !reduction->status; rank++)
        if (reduction->streams[rank].clock)
            reduction->status =
                host_clock_define(reduction->streams[rank].clock, rank, &reduction->error);
}

enum status run_reduction_step(struct run_reduction *reduction, struct error *error)
{
    assert(!reduction->ends);
    update_hosts(reduction);
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
    folded_machine_text(machine, text, sizeof text);
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
        fprintf(file, "%.0f\n", reduction->ticks_per_second);
    for (int d = 0; d < RUN_DISTANCES && file; d++)
        fprintf(file, "%a %a %" PRIu64 "\n", machine->distances[d].latency,
                machine->distances[d].per_byte, machine->distances[d].synchronous_from);
    if (file)
        fprintf(file, "%s\n", reduction->assumptions->text);
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
    finish_clocks(reduction);
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
    for (size_t i = 0; i < reduction->clocks.count; i++)
        host_clock_close(&reduction->clocks.items[i]);
    free(reduction->clocks.items);
    free(reduction->comms.items);
    free(reduction->channels.items);
    free(reduction->arrivals.items);
    free(reduction->streams);
    free(reduction);
}
