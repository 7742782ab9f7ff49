/* Writes the global definitions, in two passes over the ranks' definitions: the scan collects what
 * the first ones need of all ranks (hosts, locations and clocks), then each rank is unified. */
#include "config.h" /* the version */

#include "measure/archive/unify.h"

#include "base/cpus.h"
#include "base/otf2_attributes.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct scan_location {
    uint32_t rank, thread;
    uint64_t events;
};

struct scan_rank {
    uint32_t host; /* place in `hosts`, MAP_NONE if the rank has no definitions */
    uint32_t boot; /* place in `boots`: ranks that have it in common read the same clock */
    bool timed;    /* `clock` was computed */
    char *cpus;
    bool ended, paused;
    clock_line clock;
    double event_rate; /* per second, of its busiest thread */
    double flushed;    /* the part of that thread's time in which segments were exchanged */
};

struct run_scan {
    struct name_set hosts, boots;
    struct world *worlds;
    size_t world_count;
    struct scan_rank *ranks;
    uint32_t size; /* of all worlds */
    ARRAY(struct scan_location) locations;
    struct record_moment first; /* on the clock of rank 0, or of the first rank that has events */
    double ticks_per_second;    /* of that clock */
    uint64_t begin, end;        /* first and last event, on rank 0's clock */
    uint64_t bytes;             /* of all event files */
    double event_cost;          /* nanoseconds that recording an event takes */
    bool openmp;                /* some rank has constructs of OpenMP */
    bool pthreads;              /* some rank has recorded POSIX threads */
    struct reduced_run reduced;
};

/* Sets the line through the clock comparisons at the beginning and the end, or through all of them
 * if the reduction of the run has used these. If that at the end is missing, because the program
 * did not reach its end, the rate of the rank's clock gives the slope. False if out of memory. */
static bool set_clock(struct scan_rank *rank, const struct rank_definitions *definitions,
                      const struct rank_location *location, double ticks_per_second)
{
    const struct clock_point *points = definitions->clock.items;
    const size_t count = definitions->clock.count;
    if (count == 0)
        return true;
    if (!array_push(&rank->clock, points[0]))
        return false;
    if (definitions->clock_is_line || count > 1) {
        bool room = true;
        for (size_t i = definitions->clock_is_line ? 1 : count - 1; i < count && room; i++)
            room = array_push(&rank->clock, points[i]);
        return room;
    }
    const double own = record_rate(&location->first, &location->last);
    return array_push(&rank->clock,
                      clock_line_end(points[0], location->last_time, own, ticks_per_second));
}

static enum status scan_add_locations(struct run_scan *scan, uint32_t number,
                                      const struct rank_definitions *definitions,
                                      struct error *error)
{
    struct scan_rank *rank = &scan->ranks[number];
    for (uint32_t thread = 0; thread < definitions->locations.count; thread++) {
        const struct rank_location *location = &definitions->locations.items[thread];
        struct scan_location added = {number, thread, location->events};
        if (!array_push(&scan->locations, added))
            return error_memory(error, "locations");
        scan->bytes += location->bytes;
        if (location->events == 0)
            continue;
        uint64_t begin = clock_line_time(&rank->clock, location->first_time);
        uint64_t end = clock_line_time(&rank->clock, location->last_time);
        double seconds = (double)(end - begin) / scan->ticks_per_second;
        if (end > begin && (double)location->events / seconds > rank->event_rate) {
            rank->event_rate = (double)location->events / seconds;
            rank->flushed = (double)location->flushed / scan->ticks_per_second / seconds;
        }
        if (begin < scan->begin)
            scan->begin = begin;
        if (end > scan->end)
            scan->end = end;
    }
    return STATUS_OK;
}

/* The first rank of an earlier world whose clock a rank reads; NULL: there is none. */
static const struct scan_rank *same_clock(const struct run_scan *scan, uint32_t number,
                                          uint32_t world_first)
{
    for (uint32_t rank = 0; rank < world_first; rank++)
        if (scan->ranks[rank].timed && scan->ranks[rank].boot == scan->ranks[number].boot)
            return &scan->ranks[rank];
    return NULL;
}

/* The line that maps a rank's clock to rank 0's by the hosts' clocks, which NTP keeps equal. */
static bool clock_by_realtime(const struct run_scan *scan, const struct rank_location *location,
                              clock_line *clock)
{
    const double seconds =
        1e-9 * (double)(int64_t)(location->first.realtime - scan->first.realtime);
    const int64_t there = (int64_t)scan->first.ticks + llround(seconds * scan->ticks_per_second);
    const double own = record_rate(&location->first, &location->last);
    const struct clock_point first = {location->first.ticks,
                                      there - (int64_t)location->first.ticks};
    clock->count = 0;
    return array_push(clock, first) &&
           array_push(clock,
                      clock_line_end(first, location->last.ticks, own, scan->ticks_per_second));
}

/* The ranks of a world have compared their clocks with that of its first rank. Maps that of a
 * spawned world to the clock of rank 0: by an earlier rank on the same host, which reads the same
 * clock. False if out of memory. */
static bool map_to_first_clock(struct run_scan *scan, uint32_t number,
                               const struct rank_location *location)
{
    struct scan_rank *rank = &scan->ranks[number];
    const struct world *world = worlds_of_rank(scan->worlds, scan->world_count, number);
    clock_line *clock = &rank->clock;
    const struct scan_rank *same;
    rank->timed = true;
    if (!world || world->first == 0)
        return true;
    if ((same = same_clock(scan, number, world->first))) {
        bool room = true;
        clock->count = 0;
        for (size_t i = 0; i < same->clock.count && room; i++)
            room = array_push(clock, same->clock.items[i]);
        return room;
    }
    const struct scan_rank *first = &scan->ranks[world->first];
    if (rank == first || !first->timed)
        return clock_by_realtime(scan, location, clock);
    for (size_t i = 0; i < clock->count; i++) {
        struct clock_point *point = &clock->items[i];
        const uint64_t on_first = point->time + (uint64_t)point->offset;
        point->offset = (int64_t)(clock_line_time(&first->clock, on_first) - point->time);
    }
    return true;
}

static enum status scan_add_rank(struct run_scan *scan, uint32_t number,
                                 const struct rank_definitions *definitions, struct error *error)
{
    struct scan_rank *rank = &scan->ranks[number];
    const char *host = definitions->present ? definitions->host : "unknown";
    rank->host = name_set_text(&scan->hosts, host, NULL);
    rank->boot =
        name_set_text(&scan->boots, definitions->boot_id[0] ? definitions->boot_id : host, NULL);
    rank->cpus = strdup(definitions->cpus);
    rank->ended = definitions->ended;
    rank->paused = definitions->paused;
    if (rank->host == MAP_NONE || rank->boot == MAP_NONE || !rank->cpus)
        return error_memory(error, "ranks");
    if (definitions->locations.count == 0) {
        struct scan_location none = {number, 0, 0};
        return array_push(&scan->locations, none) ? STATUS_OK : error_memory(error, "locations");
    }
    scan->openmp = scan->openmp || rank_has_constructs(definitions);
    scan->pthreads = scan->pthreads || rank_has_posix_threads(definitions);
    const struct rank_location *master = &definitions->locations.items[0];
    if (scan->first.ticks == 0) {
        scan->first = master->first;
        double rate = definitions->tsc ? record_rate(&master->first, &master->last) : 0;
        scan->ticks_per_second = rate > 0 ? rate : 1e9;
        if (scan->reduced.present)
            scan->ticks_per_second = scan->reduced.ticks_per_second;
    }
    if (!set_clock(rank, definitions, master, scan->ticks_per_second) ||
        !map_to_first_clock(scan, number, master))
        return error_memory(error, "ranks");
    return scan_add_locations(scan, number, definitions, error);
}

static void scan_free(struct run_scan *scan)
{
    for (uint32_t rank = 0; scan->ranks && rank < scan->size; rank++) {
        free(scan->ranks[rank].cpus);
        free(scan->ranks[rank].clock.items);
    }
    free(scan->ranks);
    free(scan->worlds);
    free(scan->locations.items);
    reduced_run_clear(&scan->reduced);
    name_set_clear(&scan->hosts);
    name_set_clear(&scan->boots);
    *scan = (struct run_scan){0};
}

static enum status check_members(const struct run_scan *scan, const char *directory, uint32_t rank,
                                 const struct rank_definitions *definitions, struct error *error)
{
    for (size_t i = 0; i < definitions->comms.count; i++) {
        const struct rank_comm *comm = &definitions->comms.items[i];
        if (comm->members.count > scan->size || comm->remote.count > scan->size)
            return error_set(error, STATUS_INPUT,
                             "%s: damaged: a communicator has more members than the run has ranks",
                             record_path_of_rank(directory, rank, "definitions").text);
    }
    return STATUS_OK;
}

/* Reads all ranks' definitions once. */
static enum status scan_read(struct run_scan *scan, const char *directory, struct error *error)
{
    *scan = (struct run_scan){.begin = UINT64_MAX, .ticks_per_second = 1e9};
    enum status status = archive_read_worlds(directory, &scan->worlds, &scan->world_count, error);
    if (status)
        return status;
    const uint32_t size = scan->size = worlds_rank_count(scan->worlds, scan->world_count);
    scan->ranks = calloc(size, sizeof *scan->ranks);
    if (!scan->ranks) {
        scan_free(scan);
        return error_memory(error, "ranks");
    }
    status = reduced_run_read(directory, &scan->reduced, error);
    for (uint32_t rank = 0; rank < size && !status; rank++) {
        struct rank_definitions definitions;
        status = rank_definitions_read(directory, rank, &definitions, error);
        if (status)
            break;
        status = check_members(scan, directory, rank, &definitions, error);
        if (!status)
            status = scan_add_rank(scan, rank, &definitions, error);
        rank_definitions_free(&definitions);
    }
    if (scan->begin == UINT64_MAX)
        scan->begin = scan->end = scan->first.ticks;
    if (status)
        scan_free(scan);
    return status;
}

static void write_clock_properties(struct unification *global, const struct run_scan *scan)
{
    double since_first =
        (double)(int64_t)(scan->begin - scan->first.ticks) / scan->ticks_per_second;
    uint64_t realtime = OTF2_UNDEFINED_TIMESTAMP;
    if (scan->first.realtime)
        realtime = scan->first.realtime + (uint64_t)llround(since_first * 1e9);
    unify_check(global, OTF2_GlobalDefWriter_WriteClockProperties(
                            global->writer, (uint64_t)llround(scan->ticks_per_second), scan->begin,
                            scan->end - scan->begin + 1, realtime));
}

static void write_paradigms(struct unification *global, const struct run_scan *scan)
{
    OTF2_GlobalDefWriter *writer = global->writer;
    OTF2_AttributeValue template = {.stringRef = unify_string(global, "Comm ${id}")};
    OTF2_AttributeValue of_windows = {.stringRef = unify_string(global, "Win ${id}")};
    unify_check(global, OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI,
                                                           unify_string(global, "MPI"),
                                                           OTF2_PARADIGM_CLASS_PROCESS));
    if (scan->pthreads)
        unify_check(global, OTF2_GlobalDefWriter_WriteParadigm(
                                writer, OTF2_PARADIGM_PTHREAD, unify_string(global, "PThread"),
                                OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT));
    if (scan->openmp) {
        OTF2_AttributeValue of_teams = {.stringRef = unify_string(global, "Thread team ${id}")};
        unify_check(global, OTF2_GlobalDefWriter_WriteParadigm(
                                writer, OTF2_PARADIGM_OPENMP, unify_string(global, "OpenMP"),
                                OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
        unify_check(global,
                    OTF2_GlobalDefWriter_WriteParadigmProperty(
                        writer, OTF2_PARADIGM_OPENMP, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                        OTF2_TYPE_STRING, of_teams));
    }
    unify_check(global, OTF2_GlobalDefWriter_WriteParadigmProperty(
                            writer, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                            OTF2_TYPE_STRING, template));
    unify_check(global, OTF2_GlobalDefWriter_WriteParadigmProperty(
                            writer, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE,
                            OTF2_TYPE_STRING, of_windows));
}

static void write_attribute_definitions(struct unification *global)
{
    static const struct {
        const char *name, *description;
        OTF2_Type type;
    } attributes[] = {
#define X(identifier, name, type, description) {name, description, OTF2_TYPE_##type},
        SILAS_ATTRIBUTES(X)
#undef X
    };
    for (uint32_t i = 0; i < SILAS_ATTRIBUTE_COUNT; i++)
        unify_check(global,
                    OTF2_GlobalDefWriter_WriteAttribute(
                        global->writer, i, unify_string(global, attributes[i].name),
                        unify_string(global, attributes[i].description), attributes[i].type));
}

static void write_tree_node(struct unification *global, uint32_t id, const char *name,
                            const char *kind, OTF2_SystemTreeDomain domain,
                            OTF2_SystemTreeNodeRef parent)
{
    OTF2_StringRef kind_id = unify_string(global, kind);
    unify_check(global, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                            global->writer, id, unify_string(global, name), kind_id, parent));
    unify_check(global, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(global->writer, id, domain));
}

/* Node 0 is the machine. Hosts follow, ordered by their lowest ranks. */
static void write_system_tree(struct unification *global, const struct run_scan *scan)
{
    struct utsname system;
    write_tree_node(global, 0, uname(&system) == 0 ? system.sysname : "machine", "machine",
                    OTF2_SYSTEM_TREE_DOMAIN_MACHINE, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_AttributeValue platform = {.stringRef = unify_string(global, "Linux")};
    unify_check(global, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
                            global->writer, 0, unify_string(global, "platform"), OTF2_TYPE_STRING,
                            platform));
    for (uint32_t host = 0; host < scan->hosts.items.count; host++)
        write_tree_node(global, host + 1, scan->hosts.items.items[host].data, "node",
                        OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY, 0);
}

static void write_location_definitions(struct unification *global, const struct run_scan *scan)
{
    char name[64];
    OTF2_GlobalDefWriter *writer = global->writer;
    for (uint32_t rank = 0; rank < scan->size; rank++) {
        const struct world *world = worlds_of_rank(scan->worlds, scan->world_count, rank);
        const bool spawned = world && world->creator != RECORD_NONE;
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        unify_check(global, OTF2_GlobalDefWriter_WriteLocationGroup(
                                writer, rank, unify_string(global, name),
                                OTF2_LOCATION_GROUP_TYPE_PROCESS, scan->ranks[rank].host + 1,
                                spawned ? world->creator : OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (size_t i = 0; i < scan->locations.count; i++) {
        const struct scan_location *location = &scan->locations.items[i];
        snprintf(name, sizeof name, "Thread %u", location->thread);
        unify_check(global, OTF2_GlobalDefWriter_WriteLocation(
                                writer, archive_location(location->rank, location->thread),
                                unify_string(global, location->thread ? name : "Master thread"),
                                OTF2_LOCATION_TYPE_CPU_THREAD, location->events, location->rank));
    }
}

static void write_mapping(struct unification *global, OTF2_DefWriter *writer, OTF2_MappingType type,
                          const unified_ids *ids)
{
    size_t same = 0;
    while (same < ids->count && ids->items[same] == same)
        same++;
    if (same == ids->count)
        return;
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(ids->count, ids->items, true);
    if (!map) {
        global->no_memory = true;
        return;
    }
    unify_check(global, OTF2_DefWriter_WriteMappingTable(writer, type, map));
    OTF2_IdMap_Free(map);
}

static void write_clock_offsets(struct unification *global, OTF2_DefWriter *writer,
                                const clock_line *clock)
{
    bool differs = false;
    for (size_t i = 0; i < clock->count; i++)
        differs |= clock->items[i].offset != 0;
    for (size_t i = 0; i < clock->count && differs; i++)
        if (i == 0 || clock->items[i].time > clock->items[i - 1].time)
            unify_check(global, OTF2_DefWriter_WriteClockOffset(writer, clock->items[i].time,
                                                                clock->items[i].offset, 0));
}

static void write_local(struct unification *global, OTF2_Archive *archive, uint64_t location,
                        const struct rank_ids *ids, const clock_line *clock)
{
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);
    if (!writer) {
        global->no_memory = true;
        return;
    }
    for (int type = 0; type < OTF2_MAPPING_MAX; type++)
        write_mapping(global, writer, (OTF2_MappingType)type, &ids->of[type]);
    write_clock_offsets(global, writer, clock);
    unify_check(global, OTF2_Archive_CloseDefWriter(archive, writer));
}

static void set_property(struct unification *global, OTF2_Archive *archive, const char *name,
                         const char *value)
{
    if (value[0]) /* OTF2 has no empty properties */
        unify_check(global, OTF2_Archive_SetProperty(archive, name, value, false));
}

/* Sets a property with one item per rank: its host, or with `cpus` the CPUs it was bound to. */
static void set_list_property(struct unification *global, OTF2_Archive *archive, const char *name,
                              const struct run_scan *scan, bool cpus)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (uint32_t rank = 0; stream && rank < scan->size; rank++) {
        const struct scan_rank *item = &scan->ranks[rank];
        assert(item->host < scan->hosts.items.count);
        fprintf(stream, "%s%s",
                rank == 0 ? ""
                : cpus    ? ";"
                          : ",",
                cpus ? item->cpus : (const char *)scan->hosts.items.items[item->host].data);
    }
    if (!stream || fclose(stream) != 0)
        global->no_memory = true;
    else
        set_property(global, archive, name, text);
    free(text);
}

static void set_spawned_property(struct unification *global, OTF2_Archive *archive,
                                 const struct run_scan *scan)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 1; stream && i < scan->world_count; i++)
        fprintf(stream, "%s%u %u %u", i > 1 ? ";" : "", scan->worlds[i].first, scan->worlds[i].size,
                scan->worlds[i].creator);
    if (!stream || fclose(stream) != 0)
        global->no_memory = true;
    else
        set_property(global, archive, SILAS_PROPERTY_SPAWNED, text);
    free(text);
}

static void set_archive_properties(struct unification *global, OTF2_Archive *archive,
                                   const struct run_scan *scan)
{
    bool complete = true, paused = false;
    for (uint32_t rank = 0; rank < scan->size; rank++) {
        complete = complete && scan->ranks[rank].ended;
        paused = paused || scan->ranks[rank].paused;
    }
    unify_check(global, OTF2_Archive_SetCreator(archive, "SILAS " PACKAGE_VERSION));
    unify_check(global, OTF2_Archive_SetBoolProperty(archive, "OTF2::MPI_COMMUNICATION_COMPLETE",
                                                     complete, false));
    set_property(global, archive, SILAS_PROPERTY_COMPLETE, complete ? "yes" : "no");
    set_property(global, archive, SILAS_PROPERTY_PAUSED, paused ? "yes" : "");
    set_property(global, archive, SILAS_PROPERTY_IN_PLACE, "recorded");
    set_spawned_property(global, archive, scan);
    set_list_property(global, archive, SILAS_PROPERTY_HOSTS, scan, false);
    set_list_property(global, archive, SILAS_PROPERTY_BINDING, scan, true);
}

static enum status write_ranks_definitions(struct unification *global, OTF2_Archive *archive,
                                           const char *directory, struct run_scan *scan,
                                           struct error *error)
{
    size_t at = 0; /* place in the scan's locations, which are in order of the ranks */
    for (uint32_t rank = 0; rank < scan->size; rank++) {
        struct rank_definitions definitions;
        struct rank_ids ids;
        enum status status = rank_definitions_read(directory, rank, &definitions, error);
        if (status)
            return status;
        if (!unify_rank(global, &definitions, at, &ids)) {
            rank_definitions_free(&definitions);
            return STATUS_OK; /* the caller looks at global->code */
        }
        for (; at < scan->locations.count && scan->locations.items[at].rank == rank; at++)
            write_local(global, archive, archive_location(rank, scan->locations.items[at].thread),
                        &ids, &scan->ranks[rank].clock);
        for (size_t i = 0; i < definitions.properties.count; i++) {
            const struct rank_property *property = &definitions.properties.items[i];
            set_property(global, archive, property->name, property->value);
            /* Where there are many events, most are of functions. */
            if (strcmp(property->name, SILAS_PROPERTY_EVENT_COST) == 0 ||
                strcmp(property->name, SILAS_PROPERTY_FUNCTION_COST) == 0)
                scan->event_cost = fmax(scan->event_cost, strtod(property->value, NULL));
        }
        if (scan->reduced.present)
            status = reduced_run_add(&scan->reduced, global, directory, &definitions, &ids, error);
        rank_ids_free(&ids);
        rank_definitions_free(&definitions);
        if (status || global->no_memory || global->code)
            return status;
    }
    return STATUS_OK;
}

/* Only the events of the ranks' first threads were reduced. */
static void write_reduction(struct unification *global, OTF2_Archive *archive,
                            struct run_scan *scan)
{
    uint64_t events = 0;
    for (size_t i = 0; i < scan->locations.count; i++) {
        events += scan->locations.items[i].events;
        if (scan->locations.items[i].thread > 0)
            scan->reduced.events += scan->locations.items[i].events;
    }
    reduced_run_write(&scan->reduced, global, archive, events, scan->bytes);
}

static void write_team_locations(struct unification *global, OTF2_Paradigm paradigm,
                                 const struct run_scan *scan)
{
    uint64_t *ids = malloc((scan->locations.count + 1) * sizeof *ids);
    if (!ids) {
        global->no_memory = true;
        return;
    }
    for (size_t i = 0; i < scan->locations.count; i++)
        ids[i] = archive_location(scan->locations.items[i].rank, scan->locations.items[i].thread);
    unify_team_locations(global, paradigm, ids, (uint32_t)scan->locations.count);
    free(ids);
}

static enum status write_definitions(OTF2_Archive *archive, const char *directory,
                                     struct run_scan *scan, struct error *error)
{
    struct unification global;
    const uint32_t run[] = {0, scan->size, 1}, world[] = {0, scan->worlds[0].size, 1};
    const struct rank_members all_ranks = {run, 1, scan->size};
    const struct rank_members own_world = {world, 1, scan->worlds[0].size};
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    if (!writer || !unify_open(&global, writer))
        return error_memory(error, "definitions");
    write_clock_properties(&global, scan);
    unify_string(&global, "");
    write_paradigms(&global, scan);
    write_attribute_definitions(&global);
    write_system_tree(&global, scan);
    write_location_definitions(&global, scan);
    unify_members(&global, &all_ranks, OTF2_GROUP_TYPE_COMM_LOCATIONS);
    if (scan->openmp)
        write_team_locations(&global, OTF2_PARADIGM_OPENMP, scan);
    if (scan->pthreads)
        write_team_locations(&global, OTF2_PARADIGM_PTHREAD, scan);
    enum status status = write_ranks_definitions(&global, archive, directory, scan, error);
    unify_world(&global, &own_world);
    if (scan->reduced.present && !status)
        write_reduction(&global, archive, scan);
    set_archive_properties(&global, archive, scan);
    if (!status && global.no_memory)
        status = error_memory(error, "definitions");
    if (!status && global.code)
        status = archive_error(error, directory, global.code);
    unify_close(&global);
    return status;
}

/* Adds a list of CPUs (machine.c: "0-3,8") to a set. */
static void add_cpu_list(struct cpu_mask *mask, const char *list)
{
    while (*list) {
        char *end;
        long first = strtol(list, &end, 10), last = first;
        if (end == list)
            return;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        for (long cpu = first < 0 ? 0 : first; cpu <= last && cpu < CPUS_MAX; cpu++)
            mask->bits[cpu / 8] |= (unsigned char)(1 << cpu % 8);
        list = end + (*end == ',');
    }
}

/* Finds the host on which ranks have shared CPUs the most. */
static void find_crowd(const struct run_scan *scan, struct archive_summary *summary)
{
    double most = 1;
    for (uint32_t host = 0; host < scan->hosts.items.count; host++) {
        struct cpu_mask mask = {{0}};
        uint32_t ranks = 0, cpus = 0;
        for (uint32_t rank = 0; rank < scan->size; rank++) {
            if (scan->ranks[rank].host != host)
                continue;
            ranks++;
            add_cpu_list(&mask, scan->ranks[rank].cpus);
        }
        for (int cpu = 0; cpu < CPUS_MAX; cpu++)
            cpus += cpus_has(&mask, cpu);
        if (cpus == 0 || (double)ranks / cpus <= most)
            continue;
        most = (double)ranks / cpus;
        snprintf(summary->crowded.host, sizeof summary->crowded.host, "%s",
                 (const char *)scan->hosts.items.items[host].data);
        summary->crowded.ranks = ranks;
        summary->crowded.cpus = cpus;
    }
}

static void summarize(const struct run_scan *scan, struct archive_summary *summary)
{
    *summary = (struct archive_summary){
        .ranks = scan->size,
        .locations = (uint32_t)scan->locations.count,
        .bytes = scan->bytes,
        .openmp = scan->openmp,
        .pthreads = scan->pthreads,
        .seconds = (double)(scan->end - scan->begin) / scan->ticks_per_second,
    };
    for (size_t i = 0; i < scan->locations.count; i++)
        summary->events += scan->locations.items[i].events;
    for (uint32_t rank = 0; rank < scan->size; rank++) {
        double recording =
            scan->ranks[rank].event_rate * scan->event_cost * 1e-9 + scan->ranks[rank].flushed;
        if (!scan->ranks[rank].ended && summary->unfinished++ == 0)
            summary->first_unfinished = rank;
        if (recording > summary->recording) {
            summary->recording = recording;
            summary->recording_rank = rank;
        }
    }
    find_crowd(scan, summary);
}

enum status archive_write_definitions(OTF2_Archive *archive, const char *directory,
                                      struct archive_summary *summary, struct error *error)
{
    struct run_scan scan;
    enum status status = scan_read(&scan, directory, error);
    if (status)
        return status;
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(archive);
    if (code)
        status = archive_error(error, directory, code);
    else
        status = write_definitions(archive, directory, &scan, error);
    code = OTF2_Archive_CloseDefFiles(archive);
    if (!status && code)
        status = archive_error(error, directory, code);
    summarize(&scan, summary);
    scan_free(&scan);
    return status;
}
