#include "measure/archive/unify.h"

#include "base/otf2_attributes.h"
#include "base/call_role.h"
#include "measure/recorder/openmp.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool unify_open(struct unification *global, OTF2_GlobalDefWriter *writer)
{
    *global = (struct unification){.writer = writer, .symbols = function_symbols_open()};
    if (global->symbols)
        return true;
    unify_close(global);
    return false;
}

void unify_close(struct unification *global)
{
    name_set_clear(&global->strings);
    name_set_clear(&global->regions);
    name_set_clear(&global->objects);
    name_set_clear(&global->functions);
    name_set_clear(&global->groups);
    free(global->function_regions.items);
    map_clear(&global->comms);
    map_clear(&global->windows);
    map_clear(&global->grids);
    function_symbols_close(global->symbols);
}

void unify_check(struct unification *global, OTF2_ErrorCode code)
{
    if (code && !global->code)
        global->code = code;
}

static void push_id(struct unification *global, unified_ids *ids, uint32_t id)
{
    if (!array_push(ids, id))
        global->no_memory = true;
}

/* Adds data to one of the tables; OTF2_UNDEFINED_UINT32 if out of memory. */
static uint32_t unify_data(struct unification *global, struct name_set *names, const void *data,
                           size_t size, bool *added)
{
    uint32_t id = name_set_add(names, data, size, added);
    if (id == MAP_NONE)
        global->no_memory = true;
    return id;
}

/* Adds a key to a map whose values count up to `*count`. */
static uint32_t number_key(struct unification *global, struct map *map, uint64_t key,
                           uint32_t *count, bool *added)
{
    const uint32_t *id = map_at(map, key, *count);
    *added = id && *id == *count;
    *count += *added;
    if (!id)
        global->no_memory = true;
    return id ? *id : MAP_NONE;
}

OTF2_StringRef unify_string(struct unification *global, const char *text)
{
    bool added;
    uint32_t id = unify_data(global, &global->strings, text, strlen(text) + 1, &added);
    if (added)
        unify_check(global, OTF2_GlobalDefWriter_WriteString(global->writer, id, text));
    return id;
}

/* The number of a group, which is written if none has this name, type, paradigm and members. */
static OTF2_GroupRef unify_group(struct unification *global, const char *name, OTF2_GroupType type,
                                 OTF2_Paradigm paradigm, const uint64_t *members, uint32_t count)
{
    bool added = false;
    uint32_t name_id = unify_string(global, name), id = MAP_NONE;
    uint64_t *key = malloc(((size_t)count + 2) * sizeof *key);
    if (!key) {
        global->no_memory = true;
        return id;
    }
    key[0] = (uint64_t)type << 32 | name_id;
    key[1] = paradigm;
    if (count)
        memcpy(key + 2, members, count * sizeof *members);
    id = unify_data(global, &global->groups, key, ((size_t)count + 2) * sizeof *key, &added);
    if (added)
        unify_check(global,
                    OTF2_GlobalDefWriter_WriteGroup(global->writer, id, name_id, type, paradigm,
                                                    OTF2_GROUP_FLAG_NONE, count, key + 2));
    free(key);
    return id;
}

/* The key contains the number of groups so far, so it is new. */
void unify_numbers(struct unification *global, const char *name, const uint64_t *numbers,
                   uint32_t count)
{
    assert(count == 0 || numbers);
    bool added;
    const uint64_t key[3] = {UINT64_MAX, global->groups.items.count, count};
    uint32_t id = unify_data(global, &global->groups, key, sizeof key, &added);
    unify_check(global, OTF2_GlobalDefWriter_WriteGroup(
                            global->writer, id, unify_string(global, name), OTF2_GROUP_TYPE_UNKNOWN,
                            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, numbers));
}

OTF2_GroupRef unify_members(struct unification *global, const struct rank_members *members,
                            OTF2_GroupType type)
{
    assert(members->run_count == 0 || members->runs);
    uint64_t *ranks = malloc(((size_t)members->count + 1) * sizeof *ranks);
    uint32_t count = 0;
    if (!ranks) {
        global->no_memory = true;
        return MAP_NONE;
    }
    for (uint32_t run = 0; run < members->run_count; run++) {
        const uint32_t *first = &members->runs[3 * run];
        for (uint32_t i = 0; i < first[1]; i++)
            ranks[count++] = first[0] + i * first[2];
    }
    OTF2_GroupRef id = unify_group(global, "", type, OTF2_PARADIGM_MPI, ranks, count);
    free(ranks);
    return id;
}

static uint32_t unify_named(struct unification *global, const char *name, const char *canonical,
                            const char *file, uint32_t line, OTF2_Paradigm paradigm,
                            OTF2_RegionRole role)
{
    bool added;
    uint32_t key[6] = {paradigm, unify_string(global, name)};
    /* A region set by hand is identified by its name; ranks may begin it at different places. */
    if (paradigm != OTF2_PARADIGM_USER) {
        key[2] = unify_string(global, canonical);
        key[3] = unify_string(global, file);
        key[4] = line;
        key[5] = role;
    }
    uint32_t id = unify_data(global, &global->regions, key, sizeof key, &added);
    if (added)
        unify_check(global,
                    OTF2_GlobalDefWriter_WriteRegion(
                        global->writer, id, unify_string(global, name),
                        unify_string(global, canonical), unify_string(global, ""), role, paradigm,
                        OTF2_REGION_FLAG_NONE, unify_string(global, file), line, 0));
    return id;
}

/* A program and its arguments, as one text that the caller frees; NULL if out of memory. */
static char *command_line(const struct rank_definitions *definitions)
{
    size_t length = strlen(definitions->program) + 1;
    for (size_t i = 0; i < definitions->arguments.count; i++)
        length += 1 + strlen(definitions->arguments.items[i]);
    char *text = malloc(length), *end = text;
    if (!text)
        return NULL;
    end = stpcpy(end, definitions->program);
    for (size_t i = 0; i < definitions->arguments.count; i++) {
        *end++ = ' ';
        end = stpcpy(end, definitions->arguments.items[i]);
    }
    return text;
}

uint32_t unify_program(struct unification *global, const struct rank_definitions *definitions)
{
    bool added;
    const char *slash = strrchr(definitions->program, '/');
    const char *name = slash ? slash + 1 : definitions->program;
    char *canonical = command_line(definitions);
    if (!canonical) {
        global->no_memory = true;
        return MAP_NONE;
    }
    const uint32_t key[6] = {OTF2_PARADIGM_MEASUREMENT_SYSTEM,
                             unify_string(global, name),
                             unify_string(global, canonical),
                             0,
                             0,
                             OTF2_REGION_ROLE_ARTIFICIAL};
    free(canonical);
    uint32_t id = unify_data(global, &global->regions, key, sizeof key, &added);
    if (added)
        unify_check(global, OTF2_GlobalDefWriter_WriteRegion(
                                global->writer, id, key[1], key[2], unify_string(global, ""),
                                OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM,
                                OTF2_REGION_FLAG_NONE, unify_string(global, ""), 0, 0));
    return id;
}

/* Paradigm and role of a region without a name. */
static void describe_region(const struct rank_region *region, OTF2_Paradigm *paradigm,
                            OTF2_RegionRole *role)
{
    static const OTF2_RegionRole call_roles[] = {CALL_ROLES(CALL_ROLE_OF_OTF2)};
    if (region->call != MPI_CALL_NONE) {
        *paradigm = OTF2_PARADIGM_MPI;
        *role = call_roles[call_role((enum mpi_call)region->call)];
    } else if (region->construct != OPENMP_NONE) {
        *paradigm = OTF2_PARADIGM_OPENMP;
        *role = openmp_constructs[region->construct].role;
    } else {
        *paradigm = OTF2_PARADIGM_COMPILER;
        *role = OTF2_REGION_ROLE_FUNCTION;
    }
}

/* A function, construct or call, which is looked up when its address is seen for the first time. */
static uint32_t unify_address(struct unification *global,
                              const struct rank_definitions *definitions,
                              const struct rank_region *region)
{
    bool added;
    struct function_symbol symbol;
    const char *object = rank_object_path(definitions, region);
    const uint64_t key[4] = {
        unify_data(global, &global->objects, object, strlen(object) + 1, &added), region->address,
        region->construct, region->call};
    uint32_t number = unify_data(global, &global->functions, key, sizeof key, &added);
    if (added) {
        uint32_t id = MAP_NONE;
        OTF2_Paradigm paradigm;
        OTF2_RegionRole role;
        describe_region(region, &paradigm, &role);
        if (region_symbols_find(global->symbols, definitions, region, &symbol))
            id = unify_named(global, symbol.name, symbol.canonical, symbol.file, symbol.line,
                             paradigm, role);
        else
            global->no_memory = true;
        push_id(global, &global->function_regions, id);
    }
    if (global->no_memory)
        return MAP_NONE;
    return global->function_regions.items[number];
}

static uint32_t unify_region(struct unification *global, const struct rank_definitions *definitions,
                             const struct rank_region *region)
{
    if (region->name)
        return unify_named(global, region->name, region->canonical, region->file, region->line,
                           (OTF2_Paradigm)region->paradigm, (OTF2_RegionRole)region->role);
    return unify_address(global, definitions, region);
}

/* The number of a group that has the members of the two groups of an intercommunicator. */
static OTF2_GroupRef unify_joined(struct unification *global, const struct rank_comm *comm)
{
    const struct rank_members *first = &comm->members, *second = &comm->remote;
    const size_t first_count = 3 * (size_t)first->run_count,
                 second_count = 3 * (size_t)second->run_count;
    uint32_t *runs = malloc((first_count + second_count) * sizeof *runs + 1);
    if (!runs) {
        global->no_memory = true;
        return OTF2_UNDEFINED_GROUP;
    }
    memcpy(runs, first->runs, first_count * sizeof *runs);
    memcpy(runs + first_count, second->runs, second_count * sizeof *runs);
    const struct rank_members both = {runs, first->run_count + second->run_count,
                                      first->count + second->count};
    OTF2_GroupRef group = unify_members(global, &both, OTF2_GROUP_TYPE_COMM_GROUP);
    free(runs);
    return group;
}

static void write_comm(struct unification *global, const struct rank_comm *comm,
                       const struct rank_ids *ids, uint32_t id)
{
    const unified_ids *comms = &ids->of[OTF2_MAPPING_COMM];
    OTF2_CommRef parent =
        comm->parent < comms->count ? comms->items[comm->parent] : OTF2_UNDEFINED_COMM;
    OTF2_CommFlag flags =
        comm->parent == RECORD_NONE ? OTF2_COMM_FLAG_NONE : OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;
    OTF2_StringRef name = unify_string(global, comm->name);
    OTF2_GroupRef group =
        comm->self ? unify_group(global, "", OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, NULL, 0)
        : comm->joined ? unify_joined(global, comm)
                       : unify_members(global, &comm->members, OTF2_GROUP_TYPE_COMM_GROUP);
    if (comm->remote.count == 0 || comm->joined) {
        unify_check(global,
                    OTF2_GlobalDefWriter_WriteComm(global->writer, id, name, group, parent, flags));
        return;
    }
    OTF2_GroupRef remote = unify_members(global, &comm->remote, OTF2_GROUP_TYPE_COMM_GROUP);
    unify_check(global, OTF2_GlobalDefWriter_WriteInterComm(global->writer, id, name, group, remote,
                                                            parent, flags));
}

/* `self_count`: duplicates of MPI_COMM_SELF that the rank has so far. */
static uint32_t unify_comm(struct unification *global, const struct rank_comm *comm,
                           const struct rank_ids *ids, uint32_t *self_count)
{
    bool added;
    uint64_t key = comm->self ? (uint64_t)RECORD_NONE << 32 | (*self_count)++
                              : (uint64_t)comm->creator << 32 | comm->number;
    uint32_t id = number_key(global, &global->comms, key, &global->comm_count, &added);
    if (added)
        write_comm(global, comm, ids, id);
    return id;
}

void unify_world(struct unification *global, const struct rank_members *members)
{
    struct rank_comm world = {.parent = RECORD_NONE, .name = "MPI_COMM_WORLD", .members = *members};
    struct rank_ids none = {0};
    uint32_t self_count = 0;
    unify_comm(global, &world, &none, &self_count);
}

static uint32_t unify_window(struct unification *global, const struct rank_window *window,
                             const struct rank_ids *ids)
{
    bool added;
    const unified_ids *comms = &ids->of[OTF2_MAPPING_COMM];
    if (window->comm >= comms->count)
        return MAP_NONE;
    const uint32_t comm = comms->items[window->comm];
    uint32_t id = number_key(global, &global->windows, (uint64_t)comm << 32 | window->number,
                             &global->window_count, &added);
    if (added)
        unify_check(global, OTF2_GlobalDefWriter_WriteRmaWin(
                                global->writer, id, unify_string(global, ""), comm,
                                OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
    return id;
}

/* The places of all members: the last dimension varies fastest (MPI 3.1, 7.5.4). */
static void write_places(struct unification *global, uint32_t id, const struct rank_grid *grid,
                         uint32_t members)
{
    uint32_t place[UINT8_MAX];
    for (uint32_t rank = 0; rank < members; rank++) {
        uint32_t rest = rank;
        for (uint32_t i = grid->dimension_count; i-- > 0;) {
            const uint32_t size = grid->dimensions[2 * i] > 0 ? grid->dimensions[2 * i] : 1;
            place[i] = rest % size;
            rest /= size;
        }
        unify_check(global, OTF2_GlobalDefWriter_WriteCartCoordinate(
                                global->writer, id, rank, (uint8_t)grid->dimension_count, place));
    }
}

static void unify_grid(struct unification *global, const struct rank_definitions *definitions,
                       const struct rank_grid *grid, const struct rank_ids *ids)
{
    bool added;
    OTF2_CartDimensionRef dimensions[UINT8_MAX];
    const unified_ids *comms = &ids->of[OTF2_MAPPING_COMM];
    if (grid->comm >= comms->count)
        return;
    const uint32_t comm = comms->items[grid->comm];
    const uint32_t id = number_key(global, &global->grids, comm, &global->grid_count, &added);
    if (!added)
        return;
    const OTF2_StringRef unnamed = unify_string(global, "");
    for (uint32_t i = 0; i < grid->dimension_count; i++) {
        dimensions[i] = global->dimension_count++;
        unify_check(global, OTF2_GlobalDefWriter_WriteCartDimension(
                                global->writer, dimensions[i], unnamed, grid->dimensions[2 * i],
                                grid->dimensions[2 * i + 1] ? OTF2_CART_PERIODIC_TRUE
                                                            : OTF2_CART_PERIODIC_FALSE));
    }
    unify_check(global,
                OTF2_GlobalDefWriter_WriteCartTopology(global->writer, id, unnamed, comm,
                                                       (uint8_t)grid->dimension_count, dimensions));
    write_places(global, id, grid, definitions->comms.items[grid->comm].members.count);
}

/* The number of the group that says what a call says of its datatypes. */
static OTF2_GroupRef unify_types(struct unification *global,
                                 const struct rank_definitions *definitions,
                                 const struct rank_counts *types)
{
    static const struct rank_operator unknown;
    const bool reduces = types->user_op != RECORD_NONE;
    const struct rank_operator *user_op = types->user_op < definitions->operators.count
                                              ? &definitions->operators.items[types->user_op]
                                              : &unknown;
    const size_t count = (size_t)types->count + (reduces ? 1 + (size_t)user_op->count : 0);
    uint64_t *numbers = malloc((count + 1) * sizeof *numbers);
    if (!numbers) {
        global->no_memory = true;
        return OTF2_UNDEFINED_GROUP;
    }
    memcpy(numbers, types->counts, types->count * sizeof *numbers);
    if (reduces) {
        numbers[types->count] = user_op->commutes;
        memcpy(numbers + types->count + 1, user_op->times, user_op->count * sizeof *numbers);
    }
    const OTF2_GroupRef group = unify_group(global, SILAS_TYPES_GROUP_NAME, OTF2_GROUP_TYPE_UNKNOWN,
                                            OTF2_PARADIGM_MPI, numbers, (uint32_t)count);
    free(numbers);
    return group;
}

/* The number of a group of counts, of ranks, or of datatypes. */
static OTF2_GroupRef unify_vector(struct unification *global,
                                  const struct rank_definitions *definitions,
                                  const struct rank_counts *vector)
{
    if (vector->type == DEFINITION_TYPES)
        return unify_types(global, definitions, vector);
    const bool members = vector->type == DEFINITION_GROUP;
    return unify_group(global, members ? "" : SILAS_COUNTS_GROUP_NAME,
                       members ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_UNKNOWN,
                       OTF2_PARADIGM_MPI, vector->counts, vector->count);
}

void unify_team_locations(struct unification *global, OTF2_Paradigm paradigm,
                          const uint64_t *locations, uint32_t count)
{
    unify_group(global, paradigm == OTF2_PARADIGM_OPENMP ? "OpenMP" : "PThread",
                OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, locations, count);
}

static uint32_t unify_team(struct unification *global, const struct rank_team *team,
                           uint64_t first_thread)
{
    uint64_t *members = malloc(((size_t)team->count + 1) * sizeof *members);
    if (!members) {
        global->no_memory = true;
        return OTF2_UNDEFINED_COMM;
    }
    for (uint32_t i = 0; i < team->count; i++)
        members[i] = first_thread + team->threads[i];
    const OTF2_GroupRef group = unify_group(global, "", OTF2_GROUP_TYPE_COMM_GROUP,
                                            (OTF2_Paradigm)team->paradigm, members, team->count);
    const uint32_t id = global->comm_count++;
    unify_check(global,
                OTF2_GlobalDefWriter_WriteComm(global->writer, id, unify_string(global, ""), group,
                                               OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    free(members);
    return id;
}

bool unify_rank(struct unification *global, const struct rank_definitions *definitions,
                uint64_t first_thread, struct rank_ids *ids)
{
    assert(global->writer && global->symbols);
    *ids = (struct rank_ids){0};
    uint32_t self_count = 0;
    unified_ids *strings = &ids->of[OTF2_MAPPING_STRING];
    push_id(global, strings, unify_string(global, definitions->program));
    for (size_t i = 0; i < definitions->arguments.count; i++)
        push_id(global, strings, unify_string(global, definitions->arguments.items[i]));
    unify_program(global, definitions);
    for (size_t i = 0; i < definitions->regions.count && !global->no_memory; i++)
        push_id(global, &ids->of[OTF2_MAPPING_REGION],
                unify_region(global, definitions, &definitions->regions.items[i]));
    for (size_t i = 0; i < definitions->comms.count && !global->no_memory; i++)
        push_id(global, &ids->of[OTF2_MAPPING_COMM],
                unify_comm(global, &definitions->comms.items[i], ids, &self_count));
    for (size_t i = 0; i < definitions->teams.count && !global->no_memory; i++)
        push_id(global, &ids->of[OTF2_MAPPING_COMM],
                unify_team(global, &definitions->teams.items[i], first_thread));
    for (size_t i = 0; i < definitions->counts.count && !global->no_memory; i++)
        push_id(global, &ids->of[OTF2_MAPPING_GROUP],
                unify_vector(global, definitions, &definitions->counts.items[i]));
    for (size_t i = 0; i < definitions->windows.count && !global->no_memory; i++)
        push_id(global, &ids->of[OTF2_MAPPING_RMA_WIN],
                unify_window(global, &definitions->windows.items[i], ids));
    for (size_t i = 0; i < definitions->grids.count && !global->no_memory; i++)
        unify_grid(global, definitions, &definitions->grids.items[i], ids);
    if (!global->no_memory && !global->code)
        return true;
    rank_ids_free(ids);
    return false;
}

void rank_ids_free(struct rank_ids *ids)
{
    for (int type = 0; type < OTF2_MAPPING_MAX; type++)
        free(ids->of[type].items);
    *ids = (struct rank_ids){0};
}
