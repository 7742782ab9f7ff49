#include "base/map.h"

#include <stdlib.h>
#include <string.h>

void map_clear(struct map *map)
{
    free(map->keys);
    free(map->values);
    memset(map, 0, sizeof *map);
}

static size_t find(const struct map *map, uint64_t key)
{
    size_t slot = map_mix(key) & (map->slots - 1);
    while (map->values[slot] != MAP_NONE && map->keys[slot] != key)
        slot = (slot + 1) & (map->slots - 1);
    return slot;
}

uint32_t map_get(const struct map *map, uint64_t key)
{
    return map->slots ? map->values[find(map, key)] : MAP_NONE;
}

static bool grow(struct map *map)
{
    struct map larger = {.slots = map->slots ? 2 * map->slots : 64};
    larger.keys = malloc(larger.slots * sizeof *larger.keys);
    larger.values = malloc(larger.slots * sizeof *larger.values);
    if (!larger.keys || !larger.values) {
        map_clear(&larger);
        return false;
    }
    memset(larger.values, 0xff, larger.slots * sizeof *larger.values);
    for (size_t i = 0; i < map->slots; i++) {
        if (map->values[i] == MAP_NONE)
            continue;
        size_t slot = find(&larger, map->keys[i]);
        larger.keys[slot] = map->keys[i];
        larger.values[slot] = map->values[i];
    }
    larger.count = map->count;
    map_clear(map);
    *map = larger;
    return true;
}

uint32_t *map_at(struct map *map, uint64_t key, uint32_t initial)
{
    if (map->count >= map->slots / 2 && !grow(map))
        return NULL;
    size_t slot = find(map, key);
    if (map->values[slot] == MAP_NONE) {
        map->keys[slot] = key;
        map->values[slot] = initial;
        map->count++;
    }
    return &map->values[slot];
}
