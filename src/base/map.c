/* Open addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4). */
#include "base/map.h"

#include "base/prefetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void map_clear(struct map *map)
{
    free(map->keys);
    free(map->values);
    memset(map, 0, sizeof *map);
}

static size_t find_slot_of(const struct map *map, uint64_t key)
{
    size_t slot = map_mix(key) & (map->slots - 1);
    while (map->values[slot] != MAP_NONE && map->keys[slot] != key)
        slot = (slot + 1) & (map->slots - 1);
    return slot;
}

void map_prefetch(const struct map *map, uint64_t key)
{
    if (map->slots == 0)
        return;
    const size_t slot = map_mix(key) & (map->slots - 1);
    prefetch(&map->keys[slot]);
    prefetch(&map->values[slot]);
}

uint32_t map_get(const struct map *map, uint64_t key)
{
    return map->slots ? map->values[find_slot_of(map, key)] : MAP_NONE;
}

static bool double_slots(struct map *map)
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
        size_t slot = find_slot_of(&larger, map->keys[i]);
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
    assert(initial != MAP_NONE);
    if (map->count >= map->slots / 2 && !double_slots(map))
        return NULL;
    size_t slot = find_slot_of(map, key);
    if (map->values[slot] == MAP_NONE) {
        map->keys[slot] = key;
        map->values[slot] = initial;
        map->count++;
    }
    return &map->values[slot];
}

bool map_set(struct map *map, uint64_t key, uint32_t value)
{
    uint32_t *place = map_at(map, key, value);
    if (place)
        *place = value;
    return place != NULL;
}

/* Moves later entries of the run back, so that no slot needs a mark for a removed entry. */
uint32_t map_take(struct map *map, uint64_t key)
{
    if (map->slots == 0)
        return MAP_NONE;
    size_t hole = find_slot_of(map, key), mask = map->slots - 1;
    uint32_t value = map->values[hole];
    if (value == MAP_NONE)
        return MAP_NONE;
    for (size_t next = (hole + 1) & mask; map->values[next] != MAP_NONE; next = (next + 1) & mask) {
        size_t wanted = map_mix(map->keys[next]) & mask;
        if (((next - wanted) & mask) >= ((next - hole) & mask)) {
            map->keys[hole] = map->keys[next];
            map->values[hole] = map->values[next];
            hole = next;
        }
    }
    map->values[hole] = MAP_NONE;
    map->count--;
    return value;
}
