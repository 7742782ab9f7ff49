#include "measure/archive/rank_definitions.h"

#include "measure/recorder/openmp.h"
#include "measure/recorder/record_path.h"

#include "base/mpi_call.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A payload being read. Reading beyond its end sets `bad` and returns zeros. */
struct payload {
    const unsigned char *at, *end;
    struct arena *arena;
    bool bad, no_memory;
};

static void payload_take(struct payload *payload, void *to, size_t size)
{
    if ((size_t)(payload->end - payload->at) < size) {
        payload->bad = true;
        memset(to, 0, size);
        return;
    }
    memcpy(to, payload->at, size);
    payload->at += size;
}

static uint32_t get_u32(struct payload *payload)
{
    uint32_t value;
    payload_take(payload, &value, sizeof value);
    return value;
}

/* An aligned copy of `count` items of `size` bytes. NULL only if the payload is bad. */
static void *get_array(struct payload *payload, size_t count, size_t size)
{
    if ((size_t)(payload->end - payload->at) / size < count) {
        payload->bad = true;
        return NULL;
    }
    void *items = arena_alloc(payload->arena, count * size + 1);
    if (!items) {
        payload->no_memory = payload->bad = true;
        return NULL;
    }
    payload_take(payload, items, count * size);
    return items;
}

static const char *get_text(struct payload *payload)
{
    const char *text = get_array(payload, get_u32(payload), 1); /* the arena's zero ends it */
    return text ? text : "";
}

static bool read_process(struct rank_definitions *definitions, struct payload *payload)
{
    definitions->present = true;
    definitions->rank = get_u32(payload);
    definitions->size = get_u32(payload);
    definitions->tsc = get_u32(payload) != 0;
    definitions->host = get_text(payload);
    definitions->boot_id = get_text(payload);
    definitions->cpus = get_text(payload);
    definitions->program = get_text(payload);
    for (uint32_t count = get_u32(payload); count > 0 && !payload->bad; count--)
        if (!array_push(&definitions->arguments, get_text(payload)))
            return false;
    return true;
}

/* Reads the members of a communicator; too many make the payload bad. */
static struct rank_members get_members(struct payload *payload)
{
    static const uint32_t most = 1 << 24;
    struct rank_members members = {NULL, get_u32(payload), 0};
    members.runs = get_array(payload, members.run_count, 3 * sizeof(uint32_t));
    for (uint32_t i = 0; members.runs && i < members.run_count; i++) {
        uint32_t count = members.runs[3 * i + 1];
        if (count > most - members.count) {
            payload->bad = true;
            break;
        }
        members.count += count;
    }
    return members;
}

static bool members_include(const struct rank_members *members, uint32_t rank)
{
    for (uint32_t run = 0; run < members->run_count; run++) {
        const uint32_t *of = &members->runs[3 * run]; /* first, count, stride */
        const uint32_t distance = rank - of[0];       /* wraps around below the first */
        if (of[2] == 0 ? distance == 0 : distance % of[2] == 0 && distance / of[2] < of[1])
            return true;
    }
    return false;
}

static bool read_communicator(struct rank_definitions *definitions, struct payload *payload)
{
    struct rank_comm comm = {0};
    comm.creator = get_u32(payload);
    comm.number = get_u32(payload);
    comm.parent = get_u32(payload);
    comm.self = get_u32(payload) != 0;
    comm.joined = get_u32(payload) != 0;
    comm.name = get_text(payload);
    comm.members = get_members(payload);
    comm.remote = get_members(payload);
    if (comm.joined && !payload->bad && members_include(&comm.members, definitions->rank))
        comm.peer_offset = comm.members.count;
    return array_push(&definitions->comms, comm);
}

static bool read_region(struct rank_definitions *definitions, struct payload *payload)
{
    struct rank_region region = {0};
    region.paradigm = get_u32(payload);
    region.role = get_u32(payload);
    region.line = get_u32(payload);
    region.name = get_text(payload);
    region.canonical = get_text(payload);
    region.file = get_text(payload);
    return array_push(&definitions->regions, region);
}

static bool read_count_vector(struct rank_definitions *definitions, struct payload *payload,
                              enum definition_type type)
{
    struct rank_counts counts = {NULL, get_u32(payload), type, RECORD_NONE};
    counts.counts = get_array(payload, counts.count, sizeof(uint64_t));
    if (type == DEFINITION_TYPES)
        counts.user_op = get_u32(payload);
    return array_push(&definitions->counts, counts);
}

static bool read_operator(struct rank_definitions *definitions, struct payload *payload)
{
    const uint32_t number = get_u32(payload);
    struct rank_operator user_op = {.commutes = get_u32(payload) != 0};
    user_op.count = get_u32(payload);
    user_op.times = get_array(payload, user_op.count, sizeof *user_op.times);
    if (number > definitions->operators.count)
        payload->bad = true;
    if (payload->bad)
        return true;
    if (number == definitions->operators.count)
        return array_push(&definitions->operators, user_op);
    definitions->operators.items[number] = user_op;
    return true;
}

static void read_comm_name(struct rank_definitions *definitions, struct payload *payload)
{
    uint32_t comm = get_u32(payload);
    const char *name = get_text(payload);
    if (comm < definitions->comms.count)
        definitions->comms.items[comm].name = name;
    else
        payload->bad = true;
}

/* A location may be defined more than once, by a recovery after one that failed. The last
 * definition counts. */
static bool read_rank_location(struct rank_definitions *definitions, struct payload *payload)
{
    struct rank_location location;
    payload_take(payload, &location, sizeof location);
    while (!payload->bad && definitions->locations.count <= location.thread) {
        if (!array_push(&definitions->locations, (struct rank_location){0}))
            return false;
    }
    if (!payload->bad)
        definitions->locations.items[location.thread] = location;
    return true;
}

/* As with locations, the last definition counts. */
static bool read_teams(struct rank_definitions *definitions, struct payload *payload)
{
    definitions->teams.count = 0;
    for (uint32_t count = get_u32(payload); count > 0 && !payload->bad; count--) {
        struct rank_team team = {.count = get_u32(payload)};
        team.paradigm = get_u32(payload);
        team.threads = get_array(payload, team.count, sizeof *team.threads);
        if (!payload->bad && !array_push(&definitions->teams, team))
            return false;
    }
    return true;
}

/* The line replaces all comparisons. */
static bool read_clock_line(struct rank_definitions *definitions, struct payload *payload)
{
    definitions->clock.count = 0;
    definitions->clock_is_line = true;
    for (uint32_t count = get_u32(payload); count > 0 && !payload->bad; count--) {
        struct clock_point point;
        payload_take(payload, &point, sizeof point);
        if (!array_push(&definitions->clock, point))
            return false;
    }
    return true;
}

static bool read_definition(struct rank_definitions *definitions, uint32_t type,
                            struct payload *payload)
{
    switch ((enum definition_type)type) {
    case DEFINITION_PROCESS:
        return read_process(definitions, payload);
    case DEFINITION_PROPERTY: {
        struct rank_property property = {get_text(payload), NULL};
        property.value = get_text(payload);
        return array_push(&definitions->properties, property);
    }
    case DEFINITION_CLOCK_OFFSET: {
        struct clock_point point;
        payload_take(payload, &point, sizeof point);
        return definitions->clock_is_line || array_push(&definitions->clock, point);
    }
    case DEFINITION_OBJECT: {
        struct rank_object object;
        payload_take(payload, &object.load_address, sizeof object.load_address);
        object.path = get_text(payload);
        return array_push(&definitions->objects, object);
    }
    case DEFINITION_REGION:
        return read_region(definitions, payload);
    case DEFINITION_FUNCTION: {
        struct rank_region function = {.object = get_u32(payload)};
        payload_take(payload, &function.address, sizeof function.address);
        return array_push(&definitions->regions, function);
    }
    case DEFINITION_CONSTRUCT: {
        struct rank_region construct = {.object = get_u32(payload)};
        construct.construct = get_u32(payload);
        payload_take(payload, &construct.address, sizeof construct.address);
        payload->bad = payload->bad || construct.construct == OPENMP_NONE ||
                       construct.construct >= OPENMP_CONSTRUCT_COUNT;
        return array_push(&definitions->regions, construct);
    }
    case DEFINITION_CALL: {
        struct rank_region call = {.object = get_u32(payload)};
        call.call = get_u32(payload);
        payload_take(payload, &call.address, sizeof call.address);
        payload->bad = payload->bad || call.call == MPI_CALL_NONE || call.call >= MPI_CALL_COUNT;
        return array_push(&definitions->regions, call);
    }
    case DEFINITION_COMM:
        return read_communicator(definitions, payload);
    case DEFINITION_COMM_NAME:
        read_comm_name(definitions, payload);
        return true;
    case DEFINITION_COUNTS:
    case DEFINITION_GROUP:
    case DEFINITION_TYPES:
        return read_count_vector(definitions, payload, (enum definition_type)type);
    case DEFINITION_OPERATOR:
        return read_operator(definitions, payload);
    case DEFINITION_WINDOW: {
        struct rank_window window;
        payload_take(payload, &window, sizeof window);
        return array_push(&definitions->windows, window);
    }
    case DEFINITION_GRID: {
        struct rank_grid grid = {.comm = get_u32(payload)};
        grid.dimension_count = get_u32(payload);
        grid.dimensions = get_array(payload, grid.dimension_count, 2 * sizeof(uint32_t));
        payload->bad = payload->bad || grid.dimension_count > UINT8_MAX;
        return array_push(&definitions->grids, grid);
    }
    case DEFINITION_FREED: {
        struct rank_freed freed;
        payload_take(payload, &freed, sizeof freed);
        return map_set(&definitions->freed_by_request, freed.request,
                       (uint32_t)definitions->freed.count) &&
               array_push(&definitions->freed, freed);
    }
    case DEFINITION_END:
        definitions->ended = true;
        return true;
    case DEFINITION_THREADS:
        definitions->threads = true;
        return true;
    case DEFINITION_PAUSED:
        definitions->paused = true;
        return true;
    case DEFINITION_LOCATION:
        return read_rank_location(definitions, payload);
    case DEFINITION_VISITS:
        definitions->visit_count = get_u32(payload);
        definitions->visits =
            get_array(payload, definitions->visit_count, sizeof *definitions->visits);
        return true;
    case DEFINITION_TEAMS:
        return read_teams(definitions, payload);
    case DEFINITION_CLOCK_LINE:
        return read_clock_line(definitions, payload);
    case DEFINITION_NONE:
        break;
    }
    payload->bad = true;
    return true;
}

typedef ARRAY(unsigned char) byte_array;

static enum status read_definitions_file(const char *path, byte_array *data, struct error *error)
{
    enum { AT_ONCE = 1 << 16 };
    FILE *file = fopen(path, "rbe");
    enum status status = STATUS_OK;
    if (!file && errno == ENOENT)
        return STATUS_OK;
    while (!status && file && !feof(file) && !ferror(file)) {
        if (array_reserve(data, AT_ONCE))
            data->count += fread(data->items + data->count, 1, AT_ONCE, file);
        else
            status = error_memory(error, path);
    }
    if (!status && (!file || ferror(file)))
        status = error_set(error, STATUS_ENVIRONMENT, "cannot read %s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    return status;
}

static enum status parse_definitions(const char *path, const unsigned char *data, size_t size,
                                     struct rank_definitions *definitions, struct error *error)
{
    for (size_t at = 0; size - at >= 2 * sizeof(uint32_t);) {
        uint32_t head[2]; /* type, size */
        memcpy(head, data + at, sizeof head);
        at += sizeof head;
        if (size - at < head[1])
            break;
        struct payload payload = {data + at, data + at + head[1], definitions->arena, false, false};
        if (!read_definition(definitions, head[0], &payload) || payload.no_memory)
            return error_memory(error, path);
        if (payload.bad)
            return error_set(error, STATUS_INPUT, "%s: damaged at byte %zu", path, at);
        at += head[1];
    }
    if (size > 0 && !definitions->present)
        return error_set(error, STATUS_INPUT, "%s: damaged: it does not name its rank", path);
    return STATUS_OK;
}

enum status rank_definitions_read(const char *directory, uint32_t rank,
                                  struct rank_definitions *definitions, struct error *error)
{
    const struct record_path path = record_path_of_rank(directory, rank, "definitions");
    byte_array data = {0};
    *definitions = (struct rank_definitions){
        .arena = arena_create(), .host = "", .boot_id = "", .cpus = "", .program = ""};
    enum status status = definitions->arena ? read_definitions_file(path.text, &data, error)
                                            : error_memory(error, path.text);
    if (!status)
        status = parse_definitions(path.text, data.items, data.count, definitions, error);
    free(data.items);
    if (status)
        rank_definitions_free(definitions);
    return status;
}

void rank_definitions_free(struct rank_definitions *definitions)
{
    arena_destroy(definitions->arena);
    free(definitions->arguments.items);
    free(definitions->properties.items);
    free(definitions->clock.items);
    free(definitions->objects.items);
    free(definitions->regions.items);
    free(definitions->comms.items);
    free(definitions->counts.items);
    free(definitions->operators.items);
    free(definitions->windows.items);
    free(definitions->grids.items);
    free(definitions->teams.items);
    free(definitions->freed.items);
    map_clear(&definitions->freed_by_request);
    free(definitions->locations.items);
    *definitions = (struct rank_definitions){0};
}

bool rank_has_constructs(const struct rank_definitions *definitions)
{
    for (size_t i = 0; i < definitions->regions.count; i++)
        if (definitions->regions.items[i].construct != OPENMP_NONE)
            return true;
    return false;
}

bool rank_has_posix_threads(const struct rank_definitions *definitions)
{
    for (size_t i = 0; i < definitions->regions.count; i++)
        if (definitions->regions.items[i].paradigm == OTF2_PARADIGM_PTHREAD)
            return true;
    return false;
}

const char *rank_object_path(const struct rank_definitions *definitions,
                             const struct rank_region *function)
{
    assert(!function->name);
    return function->object < definitions->objects.count
               ? definitions->objects.items[function->object].path
               : "unknown";
}
