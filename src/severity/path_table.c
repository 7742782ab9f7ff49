#include "severity/path_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t path_table_at(struct path_table *table, struct severity_path path)
{
    const uint32_t fresh = (uint32_t)table->paths.count;
    assert(path.parent == SEVERITY_NONE || path.parent < fresh);
    uint32_t name = name_set_text(&table->names, path.name, NULL);
    uint32_t *number = NULL;
    if (name != MAP_NONE)
        number = map_at(&table->index, (uint64_t)path.parent << 32 | name, fresh);
    if (!number)
        return SEVERITY_NONE;
    if (*number < fresh)
        return *number;
    const uint32_t file = path.file ? name_set_text(&table->names, path.file, NULL) : 0;
    if (file == MAP_NONE)
        return SEVERITY_NONE;
    path.name = table->names.items.items[name].data;
    if (path.file)
        path.file = table->names.items.items[file].data;
    return array_push(&table->paths, path) ? fresh : SEVERITY_NONE;
}

void path_table_clear(struct path_table *table)
{
    free(table->paths.items);
    map_clear(&table->index);
    name_set_clear(&table->names);
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
