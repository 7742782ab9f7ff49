#include "trace/load/definition_ids.h"

#include <stdlib.h>
#include <string.h>

enum { LOW_LIMIT = 1 << 20 };

bool id_map_set(struct id_map *map, uint64_t id, uint32_t index)
{
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
