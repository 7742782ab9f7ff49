/* A hash map from 64-bit keys to 32-bit values, for passes over whole traces: ids, matching, call
 * paths. */
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
/* Prefetches the slot of a key into the caches. */
void map_prefetch(const struct map *map, uint64_t key);
/* The key's value, MAP_NONE if the key is not there. */
uint32_t map_get(const struct map *map, uint64_t key);
/* Returns a pointer to the key's value, valid until the next insertion. A new key gets `initial`,
 * which is not MAP_NONE. NULL if out of memory; the map is unchanged then. */
uint32_t *map_at(struct map *map, uint64_t key, uint32_t initial);

/* Gives the key `value`, which is not MAP_NONE. False if out of memory. */
bool map_set(struct map *map, uint64_t key, uint32_t value);
/* Removes the key and returns its value; MAP_NONE if there was none. The memory is that of the
 * largest number of keys so far. */
uint32_t map_take(struct map *map, uint64_t key);

/* Scatters the bits of a key. Also combines two keys: map_mix(a) ^ b. */
static inline uint64_t map_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return x ^ x >> 32;
}

#endif
