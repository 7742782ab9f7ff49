/* Definitions may come in any order and twice (EZTrace), so all of them are kept as read, with the
 * archive's ids, until the last is in; then names and references are resolved. */
#include "trace/load_definitions.h"

#include "base/array.h"
#include "trace/otf2_error.h"

#include <stdlib.h>
#include <string.h>

struct raw_region {
    struct region region;
    uint64_t id;
    OTF2_StringRef name, canonical, description, file;
};

struct raw_group {
    struct group group;
    uint64_t id;
    OTF2_StringRef name;
};

struct raw_comm {
    struct communicator comm;
    uint64_t id;
    OTF2_StringRef name;
    OTF2_GroupRef group, remote;
    OTF2_CommRef parent;
};

struct raw_location {
    struct location location;
    OTF2_StringRef name;
    OTF2_LocationGroupRef group;
};

struct raw_location_group {
    struct location_group group;
    uint64_t id;
    OTF2_StringRef name;
    OTF2_SystemTreeNodeRef node;
};

struct raw_node {
    struct system_node node;
    uint64_t id;
    OTF2_StringRef name, class_name;
    OTF2_SystemTreeNodeRef parent;
};

struct raw_attribute {
    uint32_t id;
    OTF2_StringRef name;
};

struct raw {
    struct definitions *definitions;
    struct definition_ids *ids;
    bool out_of_memory;
    ARRAY(const char *) strings;
    ARRAY(struct raw_region) regions;
    ARRAY(struct raw_group) groups;
    ARRAY(struct raw_comm) comms;
    ARRAY(struct raw_location) locations;
    struct id_map location_ids; /* to skip what is defined twice */
    ARRAY(struct raw_location_group) location_groups;
    ARRAY(struct raw_node) nodes;
    ARRAY(struct raw_attribute) attributes;
};

static OTF2_CallbackCode keep(struct raw *raw, bool kept)
{
    raw->out_of_memory |= !kept;
    return kept ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

/* --- callbacks: keep what is read ----------------------------------------------------------- */

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    struct definitions *definitions = ((struct raw *)data)->definitions;
    definitions->ticks_per_second = resolution;
    definitions->global_offset = offset;
    definitions->trace_length = length;
    definitions->realtime = realtime;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text)
{
    struct raw *raw = data;
    char *copy = arena_strdup(raw->definitions->arena, text);
    return keep(raw, copy && array_push(&raw->strings, copy) &&
                         id_map_set(&raw->ids->strings, self, (uint32_t)raw->strings.count - 1));
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    (void)description;
    (void)type;
    struct raw *raw = data;
    return keep(raw, array_push(&raw->attributes, ((struct raw_attribute){self, name})));
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    struct raw *raw = data;
    struct raw_node node = {{0}, self, name, class_name, parent};
    return keep(raw, array_push(&raw->nodes, node));
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self,
                                           OTF2_StringRef name, OTF2_LocationGroupType type,
                                           OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator)
{
    (void)creator;
    struct raw *raw = data;
    struct raw_location_group group = {{.type = type}, self, name, node};
    return keep(raw, array_push(&raw->location_groups, group));
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct raw *raw = data;
    if (id_map_get(&raw->location_ids, self) != INDEX_NONE)
        return OTF2_CALLBACK_SUCCESS;
    if (!id_map_set(&raw->location_ids, self, (uint32_t)raw->locations.count))
        return keep(raw, false);
    struct raw_location location = {
        {.id = self, .type = type, .events = events, .rank = INDEX_NONE}, name, group};
    return keep(raw, array_push(&raw->locations, location));
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    struct raw *raw = data;
    struct raw_region region = {
        {.begin_line = begin, .end_line = end, .role = role, .paradigm = paradigm, .flags = flags},
        self,
        name,
        canonical,
        description,
        file};
    return keep(raw, array_push(&raw->regions, region));
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t count, const uint64_t *members)
{
    struct raw *raw = data;
    struct raw_group group = {
        {.type = type, .paradigm = paradigm, .flags = flags, .count = count}, self, name};
    group.group.members = arena_memdup(raw->definitions->arena, members, count * sizeof *members);
    return keep(raw, group.group.members && array_push(&raw->groups, group));
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    struct raw *raw = data;
    struct raw_comm comm = {{.flags = flags}, self, name, group, OTF2_UNDEFINED_GROUP, parent};
    return keep(raw, array_push(&raw->comms, comm));
}

static OTF2_CallbackCode on_inter_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                       OTF2_GroupRef group, OTF2_GroupRef remote,
                                       OTF2_CommRef parent, OTF2_CommFlag flags)
{
    struct raw *raw = data;
    struct raw_comm comm = {{.flags = flags}, self, name, group, remote, parent};
    return keep(raw, array_push(&raw->comms, comm));
}

static OTF2_ErrorCode read_raw(OTF2_Reader *reader, struct raw *raw)
{
    OTF2_GlobalDefReader *def_reader = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *on = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_ErrorCode code = OTF2_ERROR_MEM_ALLOC_FAILED;
    if (def_reader && on) {
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(on, on_clock);
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(on, on_string);
        OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(on, on_attribute);
        OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(on, on_node);
        OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(on, on_location_group);
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on, on_location);
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(on, on_region);
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(on, on_group);
        OTF2_GlobalDefReaderCallbacks_SetCommCallback(on, on_comm);
        OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(on, on_inter_comm);
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, def_reader, on, raw);
        uint64_t read;
        if (code == OTF2_SUCCESS)
            code = OTF2_Reader_ReadAllGlobalDefinitions(reader, def_reader, &read);
    }
    if (on)
        OTF2_GlobalDefReaderCallbacks_Delete(on);
    return code;
}

/* --- resolving ------------------------------------------------------------------------------ */

static const char *text(const struct raw *raw, OTF2_StringRef id)
{
    uint32_t index = id == OTF2_UNDEFINED_STRING ? INDEX_NONE : id_map_get(&raw->ids->strings, id);
    return index == INDEX_NONE ? "" : raw->strings.items[index];
}

static uint64_t region_hash(const struct region *region)
{
    uint64_t hash = map_mix((uint64_t)region->begin_line << 32 | region->end_line);
    const char *const texts[] = {region->name, region->canonical, region->file};
    for (size_t i = 0; i < 3; i++)
        for (const char *c = texts[i]; *c; c++)
            hash = map_mix(hash ^ (unsigned char)*c);
    return map_mix(hash ^ (uint64_t)region->paradigm << 8 ^ region->role);
}

static bool same_region(const struct region *a, const struct region *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->canonical, b->canonical) == 0 &&
           strcmp(a->file, b->file) == 0 && a->begin_line == b->begin_line &&
           a->end_line == b->end_line && a->paradigm == b->paradigm && a->role == b->role;
}

/* Tools that define regions per rank repeat them with other ids: equal ones become one. */
static bool resolve_regions(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    struct map known = {0};
    bool fits = (d->regions = arena_alloc_array(d->arena, raw->regions.count + 1,
                                                sizeof *d->regions)) != NULL;
    for (size_t i = 0; fits && i < raw->regions.count; i++) {
        struct raw_region *r = &raw->regions.items[i];
        r->region.name = text(raw, r->name);
        r->region.canonical = text(raw, r->canonical);
        r->region.description = text(raw, r->description);
        r->region.file = text(raw, r->file);
        r->region.mpi_call = mpi_call_from_name(r->region.name);
        uint64_t key = region_hash(&r->region);
        uint32_t *place;
        while ((place = map_at(&known, key, d->region_count)) && *place < d->region_count &&
               !same_region(&d->regions[*place], &r->region))
            key++; /* another region of the same hash */
        fits = place && id_map_set(&raw->ids->regions, r->id, *place);
        if (fits && *place == d->region_count)
            d->regions[d->region_count++] = r->region;
    }
    map_clear(&known);
    return fits;
}

static bool resolve_groups(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    d->groups = arena_alloc_array(d->arena, raw->groups.count + 1, sizeof *d->groups);
    if (!d->groups)
        return false;
    for (size_t i = 0; i < raw->groups.count; i++) {
        struct raw_group *g = &raw->groups.items[i];
        g->group.name = text(raw, g->name);
        uint32_t index = d->group_count++;
        d->groups[index] = g->group;
        /* of two with one id, communicators mean the one that is not the list of all locations */
        uint32_t before = id_map_get(&raw->ids->groups, g->id);
        if (before != INDEX_NONE && g->group.type == GROUP_COMM_LOCATIONS)
            continue;
        if (!id_map_set(&raw->ids->groups, g->id, index))
            return false;
    }
    return true;
}

static bool resolve_comms(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    d->comms = arena_alloc_array(d->arena, raw->comms.count + 1, sizeof *d->comms);
    if (!d->comms)
        return false;
    for (size_t i = 0; i < raw->comms.count; i++) {
        struct raw_comm *c = &raw->comms.items[i];
        c->comm.name = text(raw, c->name);
        c->comm.group = id_map_get(&raw->ids->groups, c->group);
        c->comm.remote_group = c->remote == OTF2_UNDEFINED_GROUP
                                   ? INDEX_NONE
                                   : id_map_get(&raw->ids->groups, c->remote);
        uint32_t index = id_map_get(&raw->ids->comms, c->id);
        if (index == INDEX_NONE)
            index = d->comm_count++;
        d->comms[index] = c->comm;
        if (!id_map_set(&raw->ids->comms, c->id, index))
            return false;
    }
    for (size_t i = 0; i < raw->comms.count;
         i++) { /* parents may be defined after their children */
        const struct raw_comm *c = &raw->comms.items[i];
        d->comms[id_map_get(&raw->ids->comms, c->id)].parent =
            c->parent == OTF2_UNDEFINED_COMM ? INDEX_NONE : id_map_get(&raw->ids->comms, c->parent);
    }
    return true;
}

static bool resolve_system(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    struct id_map nodes = {0}, groups = {0};
    d->nodes = arena_alloc_array(d->arena, raw->nodes.count + 1, sizeof *d->nodes);
    d->location_groups =
        arena_alloc_array(d->arena, raw->location_groups.count + 1, sizeof *d->location_groups);
    d->locations = arena_alloc_array(d->arena, raw->locations.count + 1, sizeof *d->locations);
    bool fits = d->nodes && d->location_groups && d->locations;
    for (size_t i = 0; fits && i < raw->nodes.count; i++)
        fits = id_map_set(&nodes, raw->nodes.items[i].id, (uint32_t)i);
    for (size_t i = 0; fits && i < raw->nodes.count; i++) {
        struct raw_node *n = &raw->nodes.items[i];
        d->nodes[d->node_count++] = (struct system_node){
            text(raw, n->name), text(raw, n->class_name), id_map_get(&nodes, n->parent)};
    }
    for (size_t i = 0; fits && i < raw->location_groups.count; i++) {
        struct raw_location_group *g = &raw->location_groups.items[i];
        g->group.name = text(raw, g->name);
        g->group.node = id_map_get(&nodes, g->node);
        fits = id_map_set(&groups, g->id, (uint32_t)i);
        d->location_groups[d->location_group_count++] = g->group;
    }
    for (size_t i = 0; fits && i < raw->locations.count; i++) {
        struct raw_location *l = &raw->locations.items[i];
        l->location.name = text(raw, l->name);
        l->location.group = id_map_get(&groups, l->group);
        d->locations[d->location_count++] = l->location;
    }
    id_map_clear(&nodes);
    id_map_clear(&groups);
    return fits;
}

static void resolve_attributes(struct raw *raw)
{
    static const char *const names[SILAS_ATTRIBUTE_COUNT] = {
#define X(identifier, name, type, description) [SILAS_ATTRIBUTE_##identifier] = name,
        SILAS_ATTRIBUTES(X)
#undef X
    };
    struct attribute_ids *ids = &raw->ids->attributes;
    ids->any = false;
    for (int a = 0; a < SILAS_ATTRIBUTE_COUNT; a++) {
        ids->id[a] = INDEX_NONE;
        for (size_t i = 0; i < raw->attributes.count; i++)
            if (strcmp(text(raw, raw->attributes.items[i].name), names[a]) == 0)
                ids->id[a] = raw->attributes.items[i].id;
        ids->any |= ids->id[a] != INDEX_NONE;
    }
}

static bool read_properties(OTF2_Reader *reader, struct definitions *d)
{
    char *text_of[3] = {0};
    OTF2_Reader_GetCreator(reader, &text_of[0]);
    OTF2_Reader_GetMachineName(reader, &text_of[1]);
    OTF2_Reader_GetDescription(reader, &text_of[2]);
    const char **places[3] = {&d->creator, &d->machine, &d->description};
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        *places[i] = arena_strdup(d->arena, text_of[i] ? text_of[i] : "");
        fits &= *places[i] != NULL;
        free(text_of[i]);
    }
    uint32_t count = 0;
    char **names = NULL;
    if (!fits || OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS)
        return fits;
    d->properties = arena_alloc_array(d->arena, count + 1, sizeof *d->properties);
    for (uint32_t i = 0; d->properties && i < count; i++) {
        char *value = NULL;
        if (OTF2_Reader_GetProperty(reader, names[i], &value) != OTF2_SUCCESS)
            continue;
        struct property property = {arena_strdup(d->arena, names[i]),
                                    arena_strdup(d->arena, value)};
        free(value);
        if (!property.name || !property.value)
            return false;
        d->properties[d->property_count++] = property;
    }
    free(names); /* one block, the strings are inside */
    return d->properties != NULL;
}

/* --- MPI: which location is which rank ------------------------------------------------------ */

static void assign_rank(struct definitions *d, uint32_t location, uint32_t rank)
{
    struct location *master = &d->locations[location];
    master->rank = rank;
    master->master = true;
    d->rank_location[rank] = location;
}

/* The other threads and streams of a rank's process are the rank's too. */
static bool assign_others(struct definitions *d)
{
    uint32_t *rank_of_group = malloc((d->location_group_count + 1) * sizeof *rank_of_group);
    if (!rank_of_group)
        return false;
    memset(rank_of_group, 0xff, d->location_group_count * sizeof *rank_of_group);
    for (uint32_t i = 0; i < d->location_count; i++)
        if (d->locations[i].master && d->locations[i].group != INDEX_NONE)
            rank_of_group[d->locations[i].group] = d->locations[i].rank;
    for (uint32_t i = 0; i < d->location_count; i++)
        if (!d->locations[i].master && d->locations[i].group != INDEX_NONE)
            d->locations[i].rank = rank_of_group[d->locations[i].group];
    free(rank_of_group);
    return true;
}

static const struct group *mpi_locations(const struct definitions *d)
{
    const struct group *best = NULL;
    for (uint32_t i = 0; i < d->group_count; i++)
        if (d->groups[i].type == GROUP_COMM_LOCATIONS && d->groups[i].paradigm == OTF2_PARADIGM_MPI)
            if (!best || d->groups[i].count > best->count)
                best = &d->groups[i];
    return best;
}

/* Without MPI, each process is a "rank" and its first CPU thread the master. */
static void number_processes(struct definitions *d)
{
    uint32_t rank = 0;
    for (uint32_t g = 0; g < d->location_group_count; g++) {
        if (d->location_groups[g].type != OTF2_LOCATION_GROUP_TYPE_PROCESS)
            continue;
        d->rank_location[rank] = INDEX_NONE;
        for (uint32_t i = 0; i < d->location_count && d->rank_location[rank] == INDEX_NONE; i++)
            if (d->locations[i].group == g && d->locations[i].type == OTF2_LOCATION_TYPE_CPU_THREAD)
                assign_rank(d, i, rank);
        rank++;
    }
}

static enum status assign_ranks(struct definitions *d, const char *path, struct error *error)
{
    const struct group *group = mpi_locations(d);
    d->rank_count = group ? group->count : 0;
    if (!group) /* not an MPI program: its processes, in order, as far as time is concerned */
        for (uint32_t i = 0; i < d->location_group_count; i++)
            d->rank_count += d->location_groups[i].type == OTF2_LOCATION_GROUP_TYPE_PROCESS;
    if (d->rank_count == 0)
        return error_set(error, STATUS_INPUT, "%s: no process is defined in this archive", path);
    d->rank_location = arena_alloc_array(d->arena, d->rank_count, sizeof *d->rank_location);
    if (!d->rank_location)
        return error_memory(error, "definitions");
    struct id_map by_id = {0};
    bool fits = true;
    for (uint32_t i = 0; i < d->location_count; i++)
        fits &= id_map_set(&by_id, d->locations[i].id, i);
    for (uint32_t r = 0; fits && group && r < d->rank_count; r++) {
        uint32_t location = id_map_get(&by_id, group->members[r]);
        if (location == INDEX_NONE) {
            id_map_clear(&by_id);
            return error_set(error, STATUS_INPUT,
                             "%s: rank %u is location %llu, which is not defined", path, r,
                             (unsigned long long)group->members[r]);
        }
        assign_rank(d, location, r);
    }
    id_map_clear(&by_id);
    if (!group)
        number_processes(d);
    return fits && assign_others(d) ? STATUS_OK : error_memory(error, "definitions");
}

static bool is_world(const struct definitions *d, const struct communicator *c)
{
    if (!c->mpi || c->self || c->remote_group != INDEX_NONE)
        return false;
    const struct group *g = &d->groups[c->group];
    if (g->count != d->rank_count)
        return false;
    for (uint32_t i = 0; g->type == GROUP_COMM_GROUP && i < g->count; i++)
        if (g->members[i] != i)
            return false;
    return true;
}

/* Of a communicator of MPI every member is a rank: whatever follows uses them as indices. */
static bool members_exist(const struct definitions *d, const struct group *g)
{
    bool ranks = g->paradigm == OTF2_PARADIGM_MPI && g->type == GROUP_COMM_GROUP;
    for (uint32_t i = 0; ranks && i < g->count; i++)
        if (g->members[i] >= d->rank_count)
            return false;
    return true;
}

static enum status check_comms(struct definitions *d, const char *path, struct error *error)
{
    d->world_comm = INDEX_NONE;
    for (uint32_t i = 0; i < d->comm_count; i++) {
        struct communicator *c = &d->comms[i];
        if (c->group == INDEX_NONE)
            return error_set(error, STATUS_INPUT, "%s: %s has a group that is not defined", path,
                             comm_name(d, i));
        const struct group *g = &d->groups[c->group];
        c->mpi = g->paradigm == OTF2_PARADIGM_MPI;
        c->self = g->type == GROUP_COMM_SELF;
        if (!members_exist(d, g) ||
            (c->remote_group != INDEX_NONE && !members_exist(d, &d->groups[c->remote_group])))
            return error_set(error, STATUS_INPUT,
                             "%s: a member of %s is no rank of this archive, which has %u", path,
                             comm_name(d, i), d->rank_count);
        bool named = strcmp(c->name, "MPI_COMM_WORLD") == 0;
        if (is_world(d, c) && (d->world_comm == INDEX_NONE || named))
            if (d->world_comm == INDEX_NONE ||
                strcmp(d->comms[d->world_comm].name, "MPI_COMM_WORLD") != 0)
                d->world_comm = i;
    }
    return STATUS_OK;
}

/* ---------------------------------------------------------------------------------------------- */

static enum status resolve(struct raw *raw, OTF2_Reader *reader, const char *path,
                           struct error *error)
{
    struct definitions *d = raw->definitions;
    if (!resolve_regions(raw) || !resolve_groups(raw) || !resolve_comms(raw) ||
        !resolve_system(raw) || !read_properties(reader, d))
        return error_memory(error, "definitions");
    resolve_attributes(raw);
    raw->ids->string_texts =
        arena_memdup(d->arena, raw->strings.items, raw->strings.count * sizeof(char *));
    if (!raw->ids->string_texts)
        return error_memory(error, "definitions");
    if (d->ticks_per_second == 0)
        return error_set(error, STATUS_INPUT, "%s: the archive does not define its clock", path);
    enum status status = assign_ranks(d, path, error);
    return status == STATUS_OK ? check_comms(d, path, error) : status;
}

enum status load_definitions(OTF2_Reader *reader, const char *path,
                             struct definitions **definitions, struct definition_ids *ids,
                             struct error *error)
{
    struct arena *arena = arena_create();
    struct raw raw = {.ids = ids};
    raw.definitions = arena ? arena_alloc(arena, sizeof *raw.definitions) : NULL;
    if (!raw.definitions) {
        arena_destroy(arena);
        return error_memory(error, "definitions");
    }
    raw.definitions->arena = arena;
    OTF2_ErrorCode code = read_raw(reader, &raw);
    enum status status = STATUS_OK;
    if (raw.out_of_memory)
        status = error_memory(error, "definitions");
    else if (code != OTF2_SUCCESS)
        status = error_set(error, STATUS_INPUT,
                           "%s: the definitions of this archive cannot be read (%s)", path,
                           otf2_error_text(code));
    else
        status = resolve(&raw, reader, path, error);
    free(raw.strings.items);
    free(raw.regions.items);
    free(raw.groups.items);
    free(raw.comms.items);
    free(raw.locations.items);
    id_map_clear(&raw.location_ids);
    free(raw.location_groups.items);
    free(raw.nodes.items);
    free(raw.attributes.items);
    if (status != STATUS_OK) {
        arena_destroy(arena);
        return status;
    }
    *definitions = raw.definitions;
    return STATUS_OK;
}

void definition_ids_clear(struct definition_ids *ids)
{
    id_map_clear(&ids->strings);
    id_map_clear(&ids->regions);
    id_map_clear(&ids->groups);
    id_map_clear(&ids->comms);
}
