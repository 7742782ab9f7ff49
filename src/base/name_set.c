#include "base/name_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The hash is FNV-1a (Fowler, Noll, Vo), scattered. */
static uint64_t hash(const unsigned char *data, size_t size)
{
    uint64_t value = size;
    for (size_t i = 0; i < size; i++)
        value = (value ^ data[i]) * 0x100000001b3u;
    return map_mix(value);
}

static bool append_name(struct name_set *set, const void *data, size_t size)
{
    if (!set->arena && !(set->arena = arena_create()))
        return false;
    struct name name = {arena_memdup(set->arena, data, size), size};
    return name.data && array_push(&set->items, name);
}

uint32_t name_set_add(struct name_set *set, const void *data, size_t size, bool *added)
{
    const uint32_t fresh = (uint32_t)set->items.count;
    assert(data || size == 0);
    if (added)
        *added = false;
    for (uint64_t key = hash(data, size);; key++) { /* another name may have the same hash */
        uint32_t *number = map_at(&set->index, key, fresh);
        if (!number)
            return MAP_NONE;
        if (*number == fresh) {
            if (added)
                *added = true;
            return append_name(set, data, size) ? fresh : MAP_NONE;
        }
        const struct name *name = &set->items.items[*number];
        if (name->size == size && memcmp(name->data, data, size) == 0)
            return *number;
    }
}

uint32_t name_set_text(struct name_set *set, const char *text, bool *added)
{
    return name_set_add(set, text, strlen(text) + 1, added);
}

void name_set_clear(struct name_set *set)
{
    arena_destroy(set->arena);
    free(set->items.items);
    map_clear(&set->index);
    memset(set, 0, sizeof *set);
}
