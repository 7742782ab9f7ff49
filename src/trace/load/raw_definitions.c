/* From definitions as read, in any order and with the archive's ids, to dense tables that refer to
 * each other by index. */
#include "trace/load/raw_definitions.h"

#include "base/files.h"
#include "base/names.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOW_LIMIT = 1 << 20 };

bool id_map_set(struct id_map *map, uint64_t id, uint32_t index)
{
    assert(index != INDEX_NONE);
    if (id >= LOW_LIMIT)
        return map_set(&map->high, id, index);
    if (id >= map->low_count) {
        uint32_t count = map->low_count ? map->low_count : 256;
        while (count <= id)
            count *= 2;
        uint32_t *grown = realloc(map->low, count * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + map->low_count, 0xff, (count - map->low_count) * sizeof *grown);
        map->low = grown;
        map->low_count = count;
    }
    map->low[id] = index;
    return true;
}

void id_map_clear(struct id_map *map)
{
    free(map->low);
    map_clear(&map->high);
    memset(map, 0, sizeof *map);
}

void definition_ids_clear(struct definition_ids *ids)
{
    id_map_clear(&ids->strings);
    id_map_clear(&ids->regions);
    id_map_clear(&ids->groups);
    id_map_clear(&ids->comms);
    id_map_clear(&ids->windows);
}

static const char *string_text(const struct raw *raw, OTF2_StringRef id)
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

/* A region of an MPI call that has a file and a line, or no line and a file such as "solve+0x1f4",
 * is a call site of that function. Its name gets the place. False if out of memory. */
static bool name_call_site(struct arena *arena, struct region *region)
{
    const char *file = files_base_name(region->file);
    char line[16] = "";
    const enum mpi_class class = mpi_call_infos[region->mpi_call].class;
    if (region->mpi_call == MPI_CALL_NONE || class == MPI_CLASS_INIT ||
        class == MPI_CLASS_FINALIZE || strcmp(region->name, region->canonical) != 0 || !file[0] ||
        (region->begin_line == 0 && !strstr(file, "+0x")))
        return true;
    if (region->begin_line)
        snprintf(line, sizeof line, ":%u", region->begin_line);
    const size_t size = strlen(region->name) + strlen(CALL_SITE_MARK) + strlen(file) + sizeof line;
    char *name = arena_alloc(arena, size);
    if (name)
        snprintf(name, size, "%s" CALL_SITE_MARK "%s%s", region->name, file, line);
    region->name = name;
    return name != NULL;
}

/* Some tools define the regions of each rank with separate ids. Equal regions become one. */
static bool resolve_regions(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    struct map known = {0};
    bool allocated = (d->regions = arena_alloc_array(d->arena, raw->regions.count + 1,
                                                     sizeof *d->regions)) != NULL;
    for (size_t i = 0; allocated && i < raw->regions.count; i++) {
        struct raw_region *r = &raw->regions.items[i];
        r->region.name = string_text(raw, r->name);
        r->region.canonical = string_text(raw, r->canonical);
        r->region.description = string_text(raw, r->description);
        r->region.file = string_text(raw, r->file);
        r->region.mpi_call = mpi_call_from_name(r->region.name);
        if (r->region.mpi_call != MPI_CALL_NONE && strpbrk(r->region.name, "( \t"))
            r->region.name = mpi_call_infos[r->region.mpi_call].name;
        if (!name_call_site(d->arena, &r->region)) {
            allocated = false;
            break;
        }
        uint64_t key = region_hash(&r->region);
        uint32_t *place;
        while ((place = map_at(&known, key, d->region_count)) && *place < d->region_count &&
               !same_region(&d->regions[*place], &r->region))
            key++; /* another region of the same hash */
        allocated = place && id_map_set(&raw->ids->regions, r->id, *place);
        if (allocated && *place == d->region_count)
            d->regions[d->region_count++] = r->region;
    }
    map_clear(&known);
    return allocated;
}

static bool resolve_groups(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    d->groups = arena_alloc_array(d->arena, raw->groups.count + 1, sizeof *d->groups);
    if (!d->groups)
        return false;
    for (size_t i = 0; i < raw->groups.count; i++) {
        struct raw_group *g = &raw->groups.items[i];
        g->group.name = string_text(raw, g->name);
        uint32_t index = d->group_count++;
        d->groups[index] = g->group;
        /* if two groups have one id, communicators refer to the one that does not contain all
         * locations */
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
    d->comms =
        arena_alloc_array(d->arena, raw->comms.count + raw->windows.count + 1, sizeof *d->comms);
    if (!d->comms)
        return false;
    for (size_t i = 0; i < raw->comms.count; i++) {
        struct raw_comm *c = &raw->comms.items[i];
        c->comm.name = string_text(raw, c->name);
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

/* "window 3" for a window without a name, as comm_name does for communicators. */
static const char *own_name(struct definitions *d, const char *name)
{
    char text[64];
    if (name[0])
        return name;
    snprintf(text, sizeof text, "window %u", d->window_count);
    return arena_strdup(d->arena, text);
}

static bool resolve_windows(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    d->windows = arena_alloc_array(d->arena, raw->windows.count + 1, sizeof *d->windows);
    bool allocated = d->windows != NULL;
    for (size_t i = 0; allocated && i < raw->windows.count; i++) {
        const struct raw_window *w = &raw->windows.items[i];
        const uint32_t comm = id_map_get(&raw->ids->comms, w->comm);
        if (comm == INDEX_NONE) /* a window of an unknown communicator cannot be replayed */
            continue;
        const struct communicator *on = &d->comms[comm];
        struct communicator own = {.name = own_name(d, string_text(raw, w->name)),
                                   .group = on->group,
                                   .remote_group = INDEX_NONE,
                                   .parent = comm};
        allocated = own.name && id_map_set(&raw->ids->windows, w->id, d->window_count);
        d->windows[d->window_count++] =
            (struct rma_window){string_text(raw, w->name), comm, d->comm_count, w->flags};
        d->comms[d->comm_count++] = own;
    }
    return allocated;
}

/* The dimensions of a grid; NULL if one is not defined or memory is out, which sets `*allocated` to
 * false. */
static struct cart_dimension *resolve_dimensions(const struct raw *raw, const struct raw_grid *grid,
                                                 const struct id_map *ids, bool *allocated)
{
    struct arena *arena = raw->definitions->arena;
    struct cart_dimension *dimensions =
        arena_alloc_array(arena, grid->dimension_count + 1, sizeof *dimensions);
    *allocated = dimensions != NULL;
    for (uint32_t i = 0; dimensions && i < grid->dimension_count; i++) {
        const uint32_t index = id_map_get(ids, grid->dimensions[i]);
        if (index == INDEX_NONE)
            return NULL;
        dimensions[i] = raw->dimensions.items[index].dimension;
        dimensions[i].name = string_text(raw, raw->dimensions.items[index].name);
    }
    return dimensions;
}

/* Sets the coordinates of a rank in its grid, if they are valid. */
static void place_rank(const struct cart_grid *grid, uint32_t members,
                       const struct raw_place *place)
{
    const uint32_t count = grid->dimension_count;
    if (place->rank >= members || place->dimension_count != count)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (place->coordinates[i] >= grid->dimensions[i].size)
            return;
    memcpy(grid->coordinates + (size_t)place->rank * count, place->coordinates,
           count * sizeof *place->coordinates);
}

/* Leaves out grids without dimensions and grids whose communicator is not defined or is an
 * intercommunicator. */
static bool resolve_grids(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    struct id_map dimensions = {0}, grids = {0};
    d->grids = arena_alloc_array(d->arena, raw->grids.count + 1, sizeof *d->grids);
    bool allocated = d->grids != NULL;
    for (size_t i = 0; allocated && i < raw->dimensions.count; i++)
        allocated = id_map_set(&dimensions, raw->dimensions.items[i].id, (uint32_t)i);
    for (size_t i = 0; allocated && i < raw->grids.count; i++) {
        const struct raw_grid *g = &raw->grids.items[i];
        const uint32_t comm = id_map_get(&raw->ids->comms, g->comm);
        if (g->dimension_count == 0 || comm == INDEX_NONE || d->comms[comm].group == INDEX_NONE ||
            d->comms[comm].remote_group != INDEX_NONE)
            continue;
        struct cart_grid grid = {string_text(raw, g->name), comm, g->dimension_count,
                                 resolve_dimensions(raw, g, &dimensions, &allocated), NULL};
        if (!grid.dimensions)
            continue;
        const size_t room = (size_t)d->groups[d->comms[comm].group].count * grid.dimension_count;
        grid.coordinates = arena_alloc_array(d->arena, room + 1, sizeof *grid.coordinates);
        allocated = grid.coordinates && id_map_set(&grids, g->id, d->grid_count);
        if (allocated)
            memset(grid.coordinates, 0xff, room * sizeof *grid.coordinates); /* INDEX_NONE */
        d->grids[d->grid_count++] = grid;
    }
    for (size_t i = 0; allocated && i < raw->places.count; i++) {
        const uint32_t index = id_map_get(&grids, raw->places.items[i].grid);
        if (index != INDEX_NONE)
            place_rank(&d->grids[index], d->groups[d->comms[d->grids[index].comm].group].count,
                       &raw->places.items[i]);
    }
    id_map_clear(&dimensions);
    id_map_clear(&grids);
    return allocated;
}

static bool resolve_system(struct raw *raw)
{
    struct definitions *d = raw->definitions;
    struct id_map nodes = {0}, groups = {0};
    d->nodes = arena_alloc_array(d->arena, raw->nodes.count + 1, sizeof *d->nodes);
    d->location_groups =
        arena_alloc_array(d->arena, raw->location_groups.count + 1, sizeof *d->location_groups);
    d->locations = arena_alloc_array(d->arena, raw->locations.count + 1, sizeof *d->locations);
    bool allocated = d->nodes && d->location_groups && d->locations;
    for (size_t i = 0; allocated && i < raw->nodes.count; i++)
        allocated = id_map_set(&nodes, raw->nodes.items[i].id, (uint32_t)i);
    for (size_t i = 0; allocated && i < raw->nodes.count; i++) {
        struct raw_node *n = &raw->nodes.items[i];
        d->nodes[d->node_count++] =
            (struct system_node){string_text(raw, n->name), string_text(raw, n->class_name),
                                 id_map_get(&nodes, n->parent)};
    }
    for (size_t i = 0; allocated && i < raw->location_groups.count; i++) {
        struct raw_location_group *g = &raw->location_groups.items[i];
        g->group.name = string_text(raw, g->name);
        g->group.node = id_map_get(&nodes, g->node);
        allocated = id_map_set(&groups, g->id, (uint32_t)i);
        d->location_groups[d->location_group_count++] = g->group;
    }
    for (size_t i = 0; allocated && i < raw->locations.count; i++) {
        struct raw_location *l = &raw->locations.items[i];
        l->location.name = string_text(raw, l->name);
        l->location.group = id_map_get(&groups, l->group);
        d->locations[d->location_count++] = l->location;
    }
    id_map_clear(&nodes);
    id_map_clear(&groups);
    return allocated;
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
            if (strcmp(string_text(raw, raw->attributes.items[i].name), names[a]) == 0)
                ids->id[a] = raw->attributes.items[i].id;
        ids->any |= ids->id[a] != INDEX_NONE;
    }
}

bool resolve_definitions(struct raw *raw)
{
    assert(raw->definitions && raw->ids);
    if (!resolve_regions(raw) || !resolve_groups(raw) || !resolve_comms(raw) ||
        !resolve_windows(raw) || !resolve_grids(raw) || !resolve_system(raw))
        return false;
    resolve_attributes(raw);
    raw->ids->string_texts = arena_memdup(raw->definitions->arena, raw->strings.items,
                                          raw->strings.count * sizeof(char *));
    return raw->ids->string_texts != NULL;
}
