#include "severity/path_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_name(uint32_t parent, const char *name)
{
    uint64_t hash = map_mix((uint64_t)parent + 1);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static bool push(struct path_table *table, struct severity_path path)
{
    if (!table->names && !(table->names = arena_create()))
        return false;
    path.name = arena_strdup(table->names, path.name);
    return path.name && array_push(&table->paths, path);
}

uint32_t path_table_at(struct path_table *table, struct severity_path path)
{
    assert(path.parent == SEVERITY_NONE || path.parent < table->paths.count);
    for (uint64_t key = hash_name(path.parent, path.name);; key++) {
        uint32_t *index = map_at(&table->index, key, (uint32_t)table->paths.count);
        if (!index)
            return SEVERITY_NONE;
        if (*index == table->paths.count)
            return push(table, path) ? *index : SEVERITY_NONE;
        const struct severity_path *known = &table->paths.items[*index];
        if (known->parent == path.parent && strcmp(known->name, path.name) == 0)
            return *index;
    }
}

void path_table_clear(struct path_table *table)
{
    free(table->paths.items);
    map_clear(&table->index);
    arena_destroy(table->names);
    memset(table, 0, sizeof *table);
}

uint32_t location_table_at(struct location_table *table, struct severity_location location)
{
    uint64_t key = (uint64_t)location.rank << 32 | location.thread;
    uint32_t *index = map_at(&table->index, key, (uint32_t)table->locations.count);
    if (!index)
        return SEVERITY_NONE;
    if (*index == table->locations.count && !array_push(&table->locations, location))
        return SEVERITY_NONE;
    return *index;
}

void location_table_clear(struct location_table *table)
{
    free(table->locations.items);
    map_clear(&table->index);
    memset(table, 0, sizeof *table);
}
