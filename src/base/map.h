/* A hash map from 64-bit keys to 32-bit values, for the bulk passes (ids, matching, call paths). */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX /* no such key; not a valid value */

struct map {
    uint64_t *keys;
    uint32_t *values; /* MAP_NONE marks a free slot */
    size_t count, slots;
};

/* An all-zero struct map is an empty map. */
void map_clear(struct map *map); /* frees the memory; the map is empty and usable again */
uint32_t map_get(const struct map *map, uint64_t key);
/* Returns the place of the key's value, which is `initial` if the key is new; valid until the next
 * insertion. NULL when memory is out. */
uint32_t *map_at(struct map *map, uint64_t key, uint32_t initial);

/* Scatters the bits of a key; also serves to combine two keys. */
static inline uint64_t map_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return x ^ x >> 32;
}

#endif
