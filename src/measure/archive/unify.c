#include "measure/archive/unify.h"

#include "base/otf2_attributes.h"

#include <stdlib.h>
#include <string.h>

enum { NEW = MAP_NONE - 1 };

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
    free(unification->self_comms.items);
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

static uint32_t unify_region(struct unification *unification, const char *name,
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
            region = unify_region(unification, symbol.name, symbol.canonical, symbol.file,
                                  symbol.line, OTF2_PARADIGM_COMPILER, OTF2_REGION_ROLE_FUNCTION);
        else
            unification->no_memory = true;
        push(unification, &unification->function_regions, region);
    }
    if (unification->no_memory)
        return MAP_NONE;
    return unification->function_regions.items[function];
}

static void unify_regions(struct unification *unification,
                          const struct rank_definitions *definitions, struct rank_ids *ids)
{
    for (size_t i = 0; i < definitions->regions.count && !unification->no_memory; i++) {
        const struct rank_region *region = &definitions->regions.items[i];
        uint32_t id;
        if (region->name)
            id = unify_region(unification, region->name, region->canonical, region->file,
                              region->line, (OTF2_Paradigm)region->paradigm,
                              (OTF2_RegionRole)region->role);
        else
            id = unify_function(unification,
                                region->object < definitions->objects.count
                                    ? definitions->objects.items[region->object].path
                                    : "unknown",
                                region->address);
        push(unification, &ids->regions, id);
    }
}

/* --- communicators -----------------------------------------------------------------------------
 */

static OTF2_CommRef parent_of(const struct rank_comm *comm, const struct rank_ids *ids)
{
    return comm->parent < ids->comms.count ? ids->comms.items[comm->parent] : OTF2_UNDEFINED_COMM;
}

static OTF2_CommFlag flags_of(const struct rank_comm *comm)
{
    return comm->parent == RECORD_NONE ? OTF2_COMM_FLAG_NONE : OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;
}

static uint32_t unify_self_comm(struct unification *unification, const struct rank_comm *comm,
                                const struct rank_ids *ids, uint32_t number)
{
    if (number < unification->self_comms.count)
        return unification->self_comms.items[number];
    uint32_t id = unification->comm_count++;
    push(unification, &unification->self_comms, id);
    OTF2_GroupRef group =
        unify_group(unification, "", OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, NULL, 0);
    unification_check(unification,
                      OTF2_GlobalDefWriter_WriteComm(unification->writer, id,
                                                     unify_string(unification, comm->name), group,
                                                     parent_of(comm, ids), flags_of(comm)));
    return id;
}

static void write_comm(struct unification *unification, const struct rank_comm *comm,
                       const struct rank_ids *ids, uint32_t id)
{
    OTF2_StringRef name = unify_string(unification, comm->name);
    OTF2_GroupRef group = unify_members(unification, &comm->members);
    if (comm->remote.count == 0) {
        unification_check(unification,
                          OTF2_GlobalDefWriter_WriteComm(unification->writer, id, name, group,
                                                         parent_of(comm, ids), flags_of(comm)));
        return;
    }
    OTF2_GroupRef remote = unify_members(unification, &comm->remote);
    unification_check(unification, OTF2_GlobalDefWriter_WriteInterComm(
                                       unification->writer, id, name, group, remote,
                                       parent_of(comm, ids), flags_of(comm)));
}

static uint32_t unify_comm(struct unification *unification, const struct rank_comm *comm,
                           const struct rank_ids *ids)
{
    uint32_t *place =
        map_at(&unification->comms, (uint64_t)comm->creator << 32 | comm->number, NEW);
    if (!place) {
        unification->no_memory = true;
        return MAP_NONE;
    }
    if (*place != NEW)
        return *place;
    uint32_t id = *place = unification->comm_count++;
    write_comm(unification, comm, ids, id);
    return id;
}

static void unify_comms(struct unification *unification, const struct rank_definitions *definitions,
                        struct rank_ids *ids)
{
    uint32_t self_count = 0;
    for (size_t i = 0; i < definitions->comms.count && !unification->no_memory; i++) {
        const struct rank_comm *comm = &definitions->comms.items[i];
        push(unification, &ids->comms,
             comm->self ? unify_self_comm(unification, comm, ids, self_count++)
                        : unify_comm(unification, comm, ids));
    }
}

void unify_world(struct unification *unification, uint32_t size)
{
    uint32_t run[3] = {0, size, 1};
    struct rank_comm world = {
        .parent = RECORD_NONE, .name = "MPI_COMM_WORLD", .members = {run, 1, size}};
    struct rank_ids none = {0};
    unify_comm(unification, &world, &none);
}

/* --- windows -----------------------------------------------------------------------------------
 */

static uint32_t unify_window(struct unification *unification, const struct rank_window *window,
                             const struct rank_ids *ids)
{
    if (window->comm >= ids->comms.count)
        return MAP_NONE;
    const uint32_t comm = ids->comms.items[window->comm];
    uint32_t *place = map_at(&unification->windows, (uint64_t)comm << 32 | window->number, NEW);
    if (!place) {
        unification->no_memory = true;
        return MAP_NONE;
    }
    if (*place == NEW) {
        *place = unification->window_count++;
        unification_check(
            unification, OTF2_GlobalDefWriter_WriteRmaWin(unification->writer, *place,
                                                          unify_string(unification, ""), comm,
                                                          OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
    }
    return *place;
}

/* --- a rank ------------------------------------------------------------------------------------
 */

void unify_rank(struct unification *unification, const struct rank_definitions *definitions,
                struct rank_ids *ids)
{
    *ids = (struct rank_ids){0};
    push(unification, &ids->strings, unify_string(unification, definitions->program));
    for (uint32_t i = 0; i < definitions->argument_count; i++)
        push(unification, &ids->strings, unify_string(unification, definitions->arguments[i]));
    unify_regions(unification, definitions, ids);
    unify_comms(unification, definitions, ids);
    for (size_t i = 0; i < definitions->counts.count && !unification->no_memory; i++) {
        const struct rank_counts *counts = &definitions->counts.items[i];
        push(unification, &ids->groups,
             unify_group(unification, counts->members ? "" : SILAS_COUNTS_GROUP_NAME,
                         counts->members ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_UNKNOWN,
                         OTF2_PARADIGM_MPI, counts->counts, counts->count));
    }
    for (size_t i = 0; i < definitions->windows.count && !unification->no_memory; i++)
        push(unification, &ids->windows,
             unify_window(unification, &definitions->windows.items[i], ids));
}

void rank_ids_free(struct rank_ids *ids)
{
    free(ids->strings.items);
    free(ids->regions.items);
    free(ids->groups.items);
    free(ids->comms.items);
    free(ids->windows.items);
}
