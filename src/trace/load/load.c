#include "trace/load/load.h"

#include "base/otf2_attributes.h"
#include "base/log.h"
#include "base/progress.h"
#include "threads/teams.h"
#include "trace/folded/loops.h"
#include "trace/prefetch.h"
#include "trace/check.h"
#include "trace/load/event_files.h"
#include "trace/load/load_private.h"
#include "trace/otf2_error.h"

#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Note what the local definitions of a location require. Most require nothing, and events are read
 * faster then. */
static OTF2_CallbackCode on_mapping(void *data, OTF2_MappingType type, const OTF2_IdMap *map)
{
    (void)type, (void)map;
    ((struct event_source *)data)->has_mappings = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock_offset(void *data, OTF2_TimeStamp time, int64_t offset,
                                         double deviation)
{
    (void)time, (void)offset, (void)deviation;
    ((struct event_source *)data)->has_clock_offsets = true;
    return OTF2_CALLBACK_SUCCESS;
}

/* Reads the local definitions of a location. The library applies mappings and offsets itself. */
static enum status read_local_by_otf2(struct event_source *source, OTF2_LocationRef id,
                                      struct error *error)
{
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(source->reader, id);
    OTF2_DefReaderCallbacks *on = OTF2_DefReaderCallbacks_New();
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (local && on) {
        OTF2_DefReaderCallbacks_SetMappingTableCallback(on, on_mapping);
        OTF2_DefReaderCallbacks_SetClockOffsetCallback(on, on_clock_offset);
        OTF2_Reader_RegisterDefCallbacks(source->reader, local, on, source);
        uint64_t read;
        code = OTF2_Reader_ReadAllLocalDefinitions(source->reader, local, &read);
    }
    if (local)
        OTF2_Reader_CloseDefReader(source->reader, local);
    if (on)
        OTF2_DefReaderCallbacks_Delete(on);
    if (!on || code == OTF2_ERROR_MEM_ALLOC_FAILED)
        return error_memory(error, "definitions");
    if (code != OTF2_SUCCESS)
        return error_set(error, STATUS_INPUT,
                         "%s: the local definitions of location %llu cannot be read (%s)",
                         source->path, (unsigned long long)id, otf2_error_text(code));
    return STATUS_OK;
}

/* Prepares some of the locations that this process reads: opens their files and reads their local
 * definitions with clock offsets and mappings of ids. */
static enum status open_locations(struct event_source *source, const struct trace *trace,
                                  uint32_t first, uint32_t end, struct error *error)
{
    const struct location *locations = trace->definitions->locations;
    for (uint32_t i = first; i < end; i++)
        if (trace_any_stream(trace, i)->location != INDEX_NONE)
            OTF2_Reader_SelectLocation(source->reader,
                                       locations[trace_any_stream(trace, i)->location].id);
    OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(source->reader);
    if (code != OTF2_SUCCESS)
        return error_set(error, STATUS_INPUT, "%s: the event files cannot be opened (%s)",
                         trace->path, otf2_error_text(code));
    enum status status = STATUS_OK;
    if (OTF2_Reader_OpenDefFiles(source->reader) == OTF2_SUCCESS) {
        for (uint32_t i = first; i < end && status == STATUS_OK; i++) {
            uint32_t location = trace_any_stream(trace, i)->location;
            if (location != INDEX_NONE)
                status = read_local_by_otf2(source, locations[location].id, error);
        }
        OTF2_Reader_CloseDefFiles(source->reader);
    } /* otherwise there are no local definitions, and nothing to correct or map */
    otf2_error_capture();
    return status;
}

/* The number of events that the archive declares. */
static double expected_events(const struct event_source *source, const struct stream *stream)
{
    return (double)source->definitions->locations[stream->location].events;
}

static double count_expected(const struct event_source *source, const struct trace *trace)
{
    double events = 0;
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++)
        if (trace_any_stream(trace, i)->location != INDEX_NONE)
            events += expected_events(source, trace_any_stream(trace, i));
    return events;
}

/* The caller closes the reader; NULL after a failure. */
static enum status open_reader(const char *path, OTF2_Reader **reader, struct error *error)
{
    otf2_error_capture();
    *reader = OTF2_Reader_Open(path);
    if (!*reader)
        return error_set(error, STATUS_INPUT, "%s: not an OTF2 archive (%s)", path,
                         otf2_error_text(OTF2_ERROR_INVALID_DATA));
    OTF2_Reader_SetSerialCollectiveCallbacks(*reader);
    return STATUS_OK;
}

/* Opens locations that OTF2 has to read. */
static enum status open_unusual(struct event_source *source, const struct trace *trace,
                                uint32_t first, uint32_t end, struct error *error)
{
    enum status status = STATUS_OK;
    if (!source->reader)
        status = open_reader(trace->path, &source->reader, error);
    return status == STATUS_OK ? open_locations(source, trace, first, end, error) : status;
}

/* Reads some streams of this process. After the first unusual location OTF2 reads the rest, too,
 * because these are probably unusual as well. */
static enum status read_own_streams(struct event_source *source, struct trace *trace, bool directly,
                                    uint32_t first, uint32_t end, int64_t *sums, double *done,
                                    struct error *error)
{
    enum status status = STATUS_OK;
    bool usual = directly && source->files;
    if (!usual)
        status = open_unusual(source, trace, first, end, error);
    for (uint32_t i = first; i < end && status == STATUS_OK; i++) {
        struct stream *stream = trace_any_stream(trace, i);
        uint32_t open = 0;
        if (stream->location == INDEX_NONE)
            continue;
        if ((status = processes_stopped(error)) != STATUS_OK)
            break;
        const bool tried = usual;
        if (usual)
            status = load_event_file(source, stream, &open, &usual, error);
        if (status == STATUS_OK && tried && !usual)
            status = open_unusual(source, trace, i, end, error);
        if (status == STATUS_OK && !usual)
            status = load_events(source, stream, &open, error);
        if (i < trace->owned_count) {
            sums[0] += open > 0;
            sums[1] += open;
        }
        progress_advance(*done += expected_events(source, stream));
    }
    return status;
}

/* A reduced archive has all call paths of the recording, also those without events. The first
 * process adds them before it reads events, so that they keep their numbers. */
static enum status enter_paths(struct calltree *tree, const struct definitions *d, const char *path,
                               struct error *error)
{
    uint32_t group = definitions_group(d, SILAS_PATHS_GROUP_NAME, 0);
    for (uint32_t i = 0; group != INDEX_NONE && i < d->groups[group].count / 2; i++) {
        uint64_t parent = d->groups[group].members[2 * i];
        uint64_t region = d->groups[group].members[2 * i + 1];
        if ((parent >= i && parent != UINT64_MAX) || region >= d->region_count)
            return error_set(error, STATUS_INPUT, "%s: group %s is damaged at call path %u", path,
                             SILAS_PATHS_GROUP_NAME, i);
        if (calltree_child(tree, (uint32_t)parent, (uint32_t)region) == CALLPATH_NONE)
            return error_memory(error, "the call tree");
    }
    return STATUS_OK;
}

static enum status open_archive_definitions(const char *path, OTF2_Reader **reader,
                                            struct definitions **definitions,
                                            struct definition_ids *ids, struct error *error)
{
    enum status status = open_reader(path, reader, error);
    return status == STATUS_OK ? load_definitions(*reader, path, definitions, ids, error) : status;
}

/* Reads the definitions and chooses the streams. */
static enum status open_archive(struct trace *trace, struct definition_ids *ids,
                                struct event_source *source, struct error *error)
{
    OTF2_Reader *reader;
    enum status status =
        open_archive_definitions(trace->path, &reader, &trace->definitions, ids, error);
    if (status == STATUS_OK) {
        trace->rank_count = trace->definitions->rank_count;
        status = trace_choose_streams(trace, error);
    }
    if (status == STATUS_OK && trace->processes->rank == 0)
        status = enter_paths(&trace->calltree, trace->definitions, trace->path, error);
    *source = (struct event_source){
        .reader = reader,
        .files = status == STATUS_OK ? event_files_open(reader, trace->path) : NULL,
        .path = trace->path,
        .definitions = trace->definitions,
        .ids = ids,
        .calltree = &trace->calltree,
        .arena = trace->arena};
    return status;
}

enum status load_open(struct trace *trace, struct definition_ids *ids, struct event_source *source,
                      struct error *error)
{
    enum status status = open_archive(trace, ids, source, error);
    if (status == STATUS_OK)
        status = open_locations(source, trace, 0, trace->owned_count + trace->carried_count, error);
    if (status != STATUS_OK) {
        load_close(source);
        definition_ids_clear(ids);
    }
    return status;
}

/* The number of locations that a reader of OTF2 has open at a time: it searches through all of them
 * for each location. */
enum { LOCATIONS_AT_ONCE = 1024 };

static void close_reader(struct event_source *source)
{
    if (source->reader)
        OTF2_Reader_Close(source->reader);
    source->reader = NULL;
}

void load_close(struct event_source *source)
{
    close_reader(source);
    event_files_close(source->files);
    source->files = NULL;
}

static enum status read_archive(struct trace *trace, uint32_t *direct, struct definition_ids *ids,
                                struct event_source *source, int64_t *sums, struct error *error)
{
    enum status status = open_archive(trace, ids, source, error);
    if (status == STATUS_OK) {
        const uint32_t count = trace->owned_count + trace->carried_count;
        double done = 0;
        progress_begin("loading", "events", count_expected(source, trace));
        for (uint32_t first = 0; first < count && status == STATUS_OK;) {
            const uint32_t end =
                count - first > LOCATIONS_AT_ONCE ? first + LOCATIONS_AT_ONCE : count;
            status =
                read_own_streams(source, trace, direct != NULL, first, end, sums, &done, error);
            close_reader(source);
            first = end;
        }
        progress_end();
    }
    if (direct)
        *direct = event_files_count(source->files);
    load_close(source);
    return status;
}

static uint32_t find_or_add_program(struct definitions *d, const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    uint32_t region = load_program_region(d, program);
    if (region != INDEX_NONE)
        return region;
    d->regions[d->region_count] = (struct region){.name = name,
                                                  .canonical = program,
                                                  .description = "",
                                                  .file = "",
                                                  .role = OTF2_REGION_ROLE_ARTIFICIAL,
                                                  .paradigm = OTF2_PARADIGM_MEASUREMENT_SYSTEM};
    return d->region_count++;
}

enum status load_name_programs(struct trace *trace, const struct definition_ids *ids,
                               struct error *error)
{
    struct definitions *d = trace->definitions;
    struct calltree *tree = &trace->calltree;
    uint32_t programs = 0;
    for (size_t i = 0; i < tree->paths.count; i++)
        programs += (tree->paths.items[i].region & REGION_PROGRAM_BIT) != 0;
    if (programs == 0)
        return STATUS_OK;
    struct region *regions =
        arena_alloc_array(d->arena, d->region_count + programs, sizeof *regions);
    if (!regions)
        return error_memory(error, "definitions");
    memcpy(regions, d->regions, d->region_count * sizeof *regions);
    d->regions = regions;
    struct calltree named = {0};
    for (size_t i = 0; i < tree->paths.count; i++) {
        struct callpath path = tree->paths.items[i];
        if (path.region & REGION_PROGRAM_BIT)
            path.region =
                find_or_add_program(d, ids->string_texts[path.region & ~REGION_PROGRAM_BIT]);
        if (!array_push(&named.paths, path) ||
            !map_at(&named.children, (uint64_t)path.parent << 32 | path.region, (uint32_t)i)) {
            calltree_clear(&named);
            return error_memory(error, "the call tree");
        }
    }
    calltree_clear(tree);
    *tree = named;
    return STATUS_OK;
}

/* Uses masks instead of a branch, because branch prediction often fails for ENTERs. */
void load_renumber(const struct stream *stream, const uint32_t *remap)
{
    const uint8_t *kind = stream->kind;
    uint32_t *arg = stream->arg, rows = stream->count;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t opens =
            0u - (uint32_t)((kind[row] == EVENT_ENTER) | (kind[row] == EVENT_PROGRAM_BEGIN));
        arg[row] = (remap[arg[row] & opens] & opens) | (arg[row] & ~opens);
    }
}

static bool mapping_is_identity(const uint32_t *remap, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (remap[i] != i)
            return false;
    return true;
}

/* Collective. Ranks with several communicating threads. `*merged` counts those that take turns. */
static enum status settle_threads(struct trace *trace, int64_t *merged, struct error *error)
{
    bool at_once = false;
    enum status status = threads_overlap(trace, &at_once, error);
    const char *threads = definitions_property(trace->definitions, SILAS_PROPERTY_THREADS);
    at_once = at_once || (threads && strncmp(threads, "apart", 5) == 0);
    if (status == STATUS_OK)
        status = at_once ? split_threads(trace, error) : merge_threads(trace, merged, error);
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++)
        trace_any_stream(trace, i)->ends = NULL;
    if (status == STATUS_OK && !teams_place_workers(trace))
        status = error_memory(error, "the threads of the ranks");
    return processes_agree(trace->processes, status, error);
}

static enum status unify(struct trace *trace, const struct definition_ids *ids, struct error *error)
{
    uint32_t *remap;
    size_t count = trace->calltree.paths.count;
    enum status status = calltree_unify(&trace->calltree, trace->processes, &remap, error);
    if (status != STATUS_OK)
        return status;
    const bool same = mapping_is_identity(remap, count);
    const uint32_t streams = trace->owned_count + trace->carried_count;
    for (uint32_t i = 0; !same && i < streams; i++) {
        if (i + 1 < streams)
            stream_prefetch_paths(trace_any_stream(trace, i + 1));
        load_renumber(trace_any_stream(trace, i), remap);
    }
    free(remap);
    status = load_name_programs(trace, ids, error);
    return processes_agree(trace->processes, status, error);
}

static void warn_of_dropped(const struct trace *trace, const int64_t *sums)
{
    if (sums[0])
        log_warning("%s: %lld regions on %lld of %u ranks have no leave event, or one in the wrong "
                    "place; they end where the region around them ends, or at the last time stamp",
                    trace->path, (long long)sums[1], (long long)sums[0], trace->rank_count);
    if (sums[2])
        log_note("%s: on %lld of %u ranks, several threads communicate, one at a time; their MPI "
                 "calls count as calls of the main thread",
                 trace->path, (long long)sums[2], trace->rank_count);
    if (sums[3])
        log_note("%s: %lld records of metrics, one-sided communication, I/O or tool-specific kinds "
                 "are not used",
                 trace->path, (long long)sums[3]);
}

void load_warn_of_irregular(const struct trace *trace, struct event_source *source)
{
    static const char *const texts[IRREGULAR_KIND_COUNT][2] = {
        [IRREGULAR_LEAVE] = {"ends of regions or programs that are not open", "they are left out"},
        [IRREGULAR_COLLECTIVE_BEGIN] =
            {"collective operations without an end",
             "they are left out, because only the end names the operation"},
        [IRREGULAR_COLLECTIVE_END] = {"collective operations without a begin",
                                      "they begin at the event before their end"},
        [IRREGULAR_COMPLETION] = {"completed requests that were not posted",
                                  "they are posted at the event before their completion"},
        [IRREGULAR_REGION] = {"communication records outside of known MPI calls",
                              "the time of the regions around them counts as computation, so "
                              "efficiencies are too high"},
        [IRREGULAR_SEND_COMPLETION] = {"completed sends that were not posted", "they are left out"},
    };
    int64_t first[IRREGULAR_KIND_COUNT]; /* location */
    for (int kind = 0; kind < IRREGULAR_KIND_COUNT; kind++)
        first[kind] =
            source->irregular[kind].count > 0 ? source->irregular[kind].location : INT64_MAX;
    processes_min(trace->processes, first, IRREGULAR_KIND_COUNT);
    for (int kind = 0; kind < IRREGULAR_KIND_COUNT; kind++) {
        struct irregular_records *records = &source->irregular[kind];
        int64_t text[sizeof records->first / sizeof(int64_t)] = {0};
        if (first[kind] == INT64_MAX)
            continue;
        if (records->count > 0 && records->location == first[kind])
            memcpy(text, records->first, sizeof text);
        processes_sum(trace->processes, &records->count, 1);
        processes_sum(trace->processes, text, sizeof text / sizeof *text);
        log_warning("%s: %s: %lld; %s (the first: %s)", trace->path, texts[kind][0],
                    (long long)records->count, texts[kind][1], (const char *)text);
    }
}

enum status load_check_span(const struct trace *trace, struct error *error)
{
    const double most = 0x1p61; /* ticks of all ranks together, which sums must hold */
    double begin = (double)(int64_t)trace->begin, end = (double)(int64_t)trace->end;
    if (begin >= 0 && (end - begin) * (trace->rank_count + 1.0) <= most)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: the time stamps lie between %" PRIu64 " and %" PRIu64
                     ", %.3g years on %u ranks: the archive is damaged (otf2-print shows where)",
                     trace->path, trace->begin, trace->end,
                     (end - begin) / (double)trace->definitions->ticks_per_second / 3.15e7,
                     trace->rank_count);
}

/* Refuses folded loops that no trace can have. */
static enum status check_folded(const struct trace *trace, struct error *error)
{
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++) {
        const struct stream *stream = trace_any_stream(trace, i);
        uint32_t row;
        const char *wrong = stream_check(trace, stream, &row);
        char place[96] = "";
        if (!wrong)
            continue;
        if (row != INDEX_NONE)
            snprintf(place, sizeof place, ", event %u (%s)", row,
                     event_kind_name(stream->kind[row]));
        return error_set(error, STATUS_INPUT,
                         "%s: this archive of folded loops is damaged: %s %u%s: %s; make it again "
                         "from the original trace",
                         trace->path, stream->rank == INDEX_NONE ? "location" : "rank",
                         stream->rank == INDEX_NONE ? stream->location : stream->rank, place,
                         wrong);
    }
    return STATUS_OK;
}

static enum status load_trace(struct trace *trace, const char *path, uint32_t *direct,
                              struct error *error)
{
    struct definition_ids ids = {0};
    struct event_source source = {0};
    /* ranks with open regions, open regions, ranks with several communicating threads, dropped
     * records */
    int64_t sums[4] = {0};
    trace->path = loops_find(path);
    bool folded = trace->path != NULL;
    enum status status = folded ? STATUS_OK : anchor_find(path, &trace->path, error);
    if (status == STATUS_OK && !(trace->path = arena_adopt(trace->arena, trace->path)))
        status = error_memory(error, "a path");
    if (status == STATUS_OK)
        status = folded ? loops_read(trace->path, trace, error)
                        : read_archive(trace, direct, &ids, &source, sums, error);
    if (status == STATUS_OK && folded)
        status = check_folded(trace, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK && !folded)
        status = settle_threads(trace, &sums[2], error);
    if (status == STATUS_OK && !folded)
        status = unify(trace, &ids, error);
    if (status == STATUS_OK) {
        sums[3] = (int64_t)source.dropped;
        processes_sum(trace->processes, sums, 4);
        warn_of_dropped(trace, sums);
        load_warn_of_irregular(trace, &source);
        trace_update_span(trace);
        if (trace_count_events(trace) == 0)
            status = error_set(error, STATUS_INPUT, "%s: no rank of this trace has any events",
                               trace->path);
        else
            status = load_check_span(trace, error);
    }
    definition_ids_clear(&ids);
    return status;
}

enum status load_create(struct processes *processes, struct trace **trace, struct error *error)
{
    struct trace *created = calloc(1, sizeof *created);
    if (created) {
        created->processes = processes;
        created->arena = arena_create();
    }
    enum status status =
        processes_agree_memory(processes, created && created->arena, "the trace", error);
    if (status != STATUS_OK) {
        trace_destroy(created);
        created = NULL;
    }
    *trace = created;
    return status;
}

enum status trace_load_by(const char *path, struct processes *processes, uint32_t *direct,
                          struct trace **trace, struct error *error)
{
    struct trace *loaded;
    enum status status = load_create(processes, &loaded, error);
    if (status == STATUS_OK)
        status = load_trace(loaded, path, direct, error);
    if (status != STATUS_OK) {
        trace_destroy(loaded);
        return status;
    }
    *trace = loaded;
    return STATUS_OK;
}

enum status trace_load(const char *path, struct processes *processes, struct trace **trace,
                       struct error *error)
{
    uint32_t direct;
    return trace_load_by(path, processes, &direct, trace, error);
}

/* Reads the definitions alone. The caller destroys their arena, if any. `*folded`: in what form. */
static enum status peek(const char *path, struct definitions **definitions, bool *folded,
                        struct error *error)
{
    struct definition_ids ids = {0};
    OTF2_Reader *reader;
    char *file = loops_find(path), *anchor = NULL;
    enum status status = STATUS_OK;
    *definitions = NULL;
    *folded = file != NULL;
    if (file) {
        status = loops_read_definitions(file, definitions, error);
    } else if ((status = anchor_find(path, &anchor, error)) == STATUS_OK) {
        status = open_archive_definitions(anchor, &reader, definitions, &ids, error);
        if (reader)
            OTF2_Reader_Close(reader);
    }
    definition_ids_clear(&ids);
    free(anchor);
    free(file);
    return status;
}

enum status trace_peek(const char *path, struct trace_size *size, struct error *error)
{
    struct definitions *definitions;
    bool folded;
    enum status status = peek(path, &definitions, &folded, error);
    *size = (struct trace_size){.whole = folded};
    for (uint32_t i = 0; status == STATUS_OK && i < definitions->location_count; i++) {
        size->events += definitions->locations[i].events;
        size->whole |= definitions->locations[i].has_siblings;
        size->threads |= definitions->locations[i].has_siblings &&
                         definitions->locations[i].type == OTF2_LOCATION_TYPE_CPU_THREAD &&
                         strncmp(definitions->creator, "SILAS ", 6) == 0;
    }
    if (status == STATUS_OK) {
        size->rank_count = definitions->rank_count;
        if (definitions->ticks_per_second > 0)
            size->length_s = (double)definitions->length / (double)definitions->ticks_per_second;
    }
    if (definitions)
        arena_destroy(definitions->arena);
    return status;
}

enum status trace_peek_placement(const char *path, uint32_t **lowest, uint32_t *rank_count,
                                 struct error *error)
{
    struct definitions *definitions;
    bool folded;
    int known = 0;
    *lowest = NULL;
    *rank_count = 0;
    enum status status = peek(path, &definitions, &folded, error);
    if (status == STATUS_OK) {
        *rank_count = definitions->rank_count;
        *lowest = calloc((size_t)*rank_count + 1, sizeof **lowest);
        known = *lowest ? definitions_placement(definitions, *lowest) : -1;
        if (known < 0)
            status = error_memory(error, "the placement of ranks");
    }
    if (known <= 0) {
        free(*lowest);
        *lowest = NULL;
    }
    if (definitions)
        arena_destroy(definitions->arena);
    return status;
}

static bool copy_property(const struct definitions *definitions, const char *name, char **value)
{
    const char *text = definitions_property(definitions, name);
    *value = text ? strdup(text) : NULL;
    return !text || *value;
}

enum status trace_peek_recording(const char *path, struct recording_options *options,
                                 struct error *error)
{
    struct definitions *definitions;
    bool folded;
    *options = (struct recording_options){NULL, NULL};
    enum status status = peek(path, &definitions, &folded, error);
    if (status == STATUS_OK &&
        (!copy_property(definitions, SILAS_PROPERTY_FILTER, &options->filter) ||
         !copy_property(definitions, SILAS_PROPERTY_OPTIONS, &options->options))) {
        free(options->filter);
        options->filter = NULL;
        status = error_memory(error, "the options of a recording");
    }
    if (definitions)
        arena_destroy(definitions->arena);
    return status;
}
