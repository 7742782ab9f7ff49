#include "measure/archive/unify.h"

#include "base/otf2_attributes.h"

#include <stdlib.h>
#include <string.h>

bool unification_open(struct unification *unification, OTF2_GlobalDefWriter *writer)
{
    *unification = (struct unification){.writer = writer, .symbols = symbols_open()};
    if (unification->symbols)
        return true;
    unification_close(unification);
    return false;
}

void unification_close(struct unification *unification)
{
    name_set_clear(&unification->strings);
    name_set_clear(&unification->regions);
    name_set_clear(&unification->objects);
    name_set_clear(&unification->functions);
    name_set_clear(&unification->groups);
    free(unification->function_regions.items);
    map_clear(&unification->comms);
    map_clear(&unification->windows);
    symbols_close(unification->symbols);
}

void unification_check(struct unification *unification, OTF2_ErrorCode code)
{
    if (code && !unification->code)
        unification->code = code;
}

static void push(struct unification *unification, unified_ids *ids, uint32_t id)
{
    if (!array_push(ids, id))
        unification->no_memory = true;
}

/* Adds to one of the tables; OTF2_UNDEFINED_UINT32 when memory is out. */
static uint32_t add(struct unification *unification, struct name_set *names, const void *data,
                    size_t size, bool *added)
{
    uint32_t id = name_set_add(names, data, size, added);
    if (id == MAP_NONE)
        unification->no_memory = true;
    return id;
}

/* The same for a map whose values count up to `*count`. */
static uint32_t number(struct unification *unification, struct map *map, uint64_t key,
                       uint32_t *count, bool *added)
{
    const uint32_t *id = map_at(map, key, *count);
    *added = id && *id == *count;
    *count += *added;
    if (!id)
        unification->no_memory = true;
    return id ? *id : MAP_NONE;
}

OTF2_StringRef unify_string(struct unification *unification, const char *text)
{
    bool added;
    uint32_t id = add(unification, &unification->strings, text, strlen(text) + 1, &added);
    if (added)
        unification_check(unification,
                          OTF2_GlobalDefWriter_WriteString(unification->writer, id, text));
    return id;
}

/* --- groups ------------------------------------------------------------------------------------
 */

OTF2_GroupRef unify_group(struct unification *unification, const char *name, OTF2_GroupType type,
                          OTF2_Paradigm paradigm, const uint64_t *members, uint32_t count)
{
    bool added = false;
    uint32_t name_id = unify_string(unification, name), id = MAP_NONE;
    uint64_t *key = malloc(((size_t)count + 2) * sizeof *key);
    if (!key) {
        unification->no_memory = true;
        return id;
    }
    key[0] = (uint64_t)type << 32 | name_id;
    key[1] = paradigm;
    if (count)
        memcpy(key + 2, members, count * sizeof *members);
    id = add(unification, &unification->groups, key, ((size_t)count + 2) * sizeof *key, &added);
    if (added)
        unification_check(unification, OTF2_GlobalDefWriter_WriteGroup(
                                           unification->writer, id, name_id, type, paradigm,
                                           OTF2_GROUP_FLAG_NONE, count, key + 2));
    free(key);
    return id;
}

static OTF2_GroupRef unify_members(struct unification *unification,
                                   const struct rank_members *members)
{
    uint64_t *ranks = malloc(((size_t)members->count + 1) * sizeof *ranks);
    uint32_t count = 0;
    if (!ranks) {
        unification->no_memory = true;
        return MAP_NONE;
    }
    for (uint32_t run = 0; run < members->run_count; run++) {
        const uint32_t *first = &members->runs[3 * run];
        for (uint32_t i = 0; i < first[1]; i++)
            ranks[count++] = first[0] + i * first[2];
    }
    OTF2_GroupRef id =
        unify_group(unification, "", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, ranks, count);
    free(ranks);
    return id;
}

/* --- regions -----------------------------------------------------------------------------------
 */

static uint32_t unify_named(struct unification *unification, const char *name,
                            const char *canonical, const char *file, uint32_t line,
                            OTF2_Paradigm paradigm, OTF2_RegionRole role)
{
    bool added;
    uint32_t key[6] = {paradigm, unify_string(unification, name)};
    /* A region set by hand is identified by its name; ranks may begin it at different places. */
    if (paradigm != OTF2_PARADIGM_USER) {
        key[2] = unify_string(unification, canonical);
        key[3] = unify_string(unification, file);
        key[4] = line;
        key[5] = role;
    }
    uint32_t id = add(unification, &unification->regions, key, sizeof key, &added);
    if (added)
        unification_check(unification,
                          OTF2_GlobalDefWriter_WriteRegion(
                              unification->writer, id, unify_string(unification, name),
                              unify_string(unification, canonical), unify_string(unification, ""),
                              role, paradigm, OTF2_REGION_FLAG_NONE,
                              unify_string(unification, file), line, 0));
    return id;
}

static uint32_t unify_function(struct unification *unification, const char *object,
                               uint64_t address)
{
    bool added;
    struct symbol symbol;
    const uint64_t key[2] = {
        add(unification, &unification->objects, object, strlen(object) + 1, &added), address};
    uint32_t function = add(unification, &unification->functions, key, sizeof key, &added);
    if (added) {
        uint32_t region = MAP_NONE;
        if (symbols_find(unification->symbols, object, address, &symbol))
            region = unify_named(unification, symbol.name, symbol.canonical, symbol.file,
                                 symbol.line, OTF2_PARADIGM_COMPILER, OTF2_REGION_ROLE_FUNCTION);
        else
            unification->no_memory = true;
        push(unification, &unification->function_regions, region);
    }
    if (unification->no_memory)
        return MAP_NONE;
    return unification->function_regions.items[function];
}

static uint32_t unify_region(struct unification *unification,
                             const struct rank_definitions *definitions,
                             const struct rank_region *region)
{
    if (region->name)
        return unify_named(unification, region->name, region->canonical, region->file, region->line,
                           (OTF2_Paradigm)region->paradigm, (OTF2_RegionRole)region->role);
    return unify_function(unification, rank_object_path(definitions, region), region->address);
}

/* --- communicators -----------------------------------------------------------------------------
 */

static void write_comm(struct unification *unification, const struct rank_comm *comm,
                       const struct rank_ids *ids, uint32_t id)
{
    const unified_ids *comms = &ids->of[OTF2_MAPPING_COMM];
    OTF2_CommRef parent =
        comm->parent < comms->count ? comms->items[comm->parent] : OTF2_UNDEFINED_COMM;
    OTF2_CommFlag flags =
        comm->parent == RECORD_NONE ? OTF2_COMM_FLAG_NONE : OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;
    OTF2_StringRef name = unify_string(unification, comm->name);
    OTF2_GroupRef group = comm->self ? unify_group(unification, "", OTF2_GROUP_TYPE_COMM_SELF,
                                                   OTF2_PARADIGM_MPI, NULL, 0)
                                     : unify_members(unification, &comm->members);
    if (comm->remote.count == 0) {
        unification_check(unification, OTF2_GlobalDefWriter_WriteComm(unification->writer, id, name,
                                                                      group, parent, flags));
        return;
    }
    OTF2_GroupRef remote = unify_members(unification, &comm->remote);
    unification_check(unification,
                      OTF2_GlobalDefWriter_WriteInterComm(unification->writer, id, name, group,
                                                          remote, parent, flags));
}

/* `self_count`: duplicates of MPI_COMM_SELF that the rank has so far. */
static uint32_t unify_comm(struct unification *unification, const struct rank_comm *comm,
                           const struct rank_ids *ids, uint32_t *self_count)
{
    bool added;
    uint64_t key = comm->self ? (uint64_t)RECORD_NONE << 32 | (*self_count)++
                              : (uint64_t)comm->creator << 32 | comm->number;
    uint32_t id = number(unification, &unification->comms, key, &unification->comm_count, &added);
    if (added)
        write_comm(unification, comm, ids, id);
    return id;
}

void unify_world(struct unification *unification, uint32_t size)
{
    uint32_t run[3] = {0, size, 1};
    struct rank_comm world = {
        .parent = RECORD_NONE, .name = "MPI_COMM_WORLD", .members = {run, 1, size}};
    struct rank_ids none = {0};
    unify_comm(unification, &world, &none, NULL);
}

/* --- windows -----------------------------------------------------------------------------------
 */

static uint32_t unify_window(struct unification *unification, const struct rank_window *window,
                             const struct rank_ids *ids)
{
    bool added;
    const unified_ids *comms = &ids->of[OTF2_MAPPING_COMM];
    if (window->comm >= comms->count)
        return MAP_NONE;
    const uint32_t comm = comms->items[window->comm];
    uint32_t id = number(unification, &unification->windows, (uint64_t)comm << 32 | window->number,
                         &unification->window_count, &added);
    if (added)
        unification_check(unification, OTF2_GlobalDefWriter_WriteRmaWin(
                                           unification->writer, id, unify_string(unification, ""),
                                           comm, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
    return id;
}

/* --- a rank ------------------------------------------------------------------------------------
 */

void unify_rank(struct unification *unification, const struct rank_definitions *definitions,
                struct rank_ids *ids)
{
    *ids = (struct rank_ids){0};
    uint32_t self_count = 0;
    unified_ids *strings = &ids->of[OTF2_MAPPING_STRING];
    push(unification, strings, unify_string(unification, definitions->program));
    for (uint32_t i = 0; i < definitions->argument_count; i++)
        push(unification, strings, unify_string(unification, definitions->arguments[i]));
    for (size_t i = 0; i < definitions->regions.count && !unification->no_memory; i++)
        push(unification, &ids->of[OTF2_MAPPING_REGION],
             unify_region(unification, definitions, &definitions->regions.items[i]));
    for (size_t i = 0; i < definitions->comms.count && !unification->no_memory; i++)
        push(unification, &ids->of[OTF2_MAPPING_COMM],
             unify_comm(unification, &definitions->comms.items[i], ids, &self_count));
    for (size_t i = 0; i < definitions->counts.count && !unification->no_memory; i++) {
        const struct rank_counts *counts = &definitions->counts.items[i];
        push(unification, &ids->of[OTF2_MAPPING_GROUP],
             unify_group(unification, counts->members ? "" : SILAS_COUNTS_GROUP_NAME,
                         counts->members ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_UNKNOWN,
                         OTF2_PARADIGM_MPI, counts->counts, counts->count));
    }
    for (size_t i = 0; i < definitions->windows.count && !unification->no_memory; i++)
        push(unification, &ids->of[OTF2_MAPPING_RMA_WIN],
             unify_window(unification, &definitions->windows.items[i], ids));
}

void rank_ids_free(struct rank_ids *ids)
{
    for (int type = 0; type < OTF2_MAPPING_MAX; type++)
        free(ids->of[type].items);
}
