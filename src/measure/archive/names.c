#include "measure/archive/names.h"

#include <stdlib.h>
#include <string.h>

enum { NEW = MAP_NONE - 1 };

bool names_open(struct names *names)
{
    *names = (struct names){.arena = arena_create()};
    return names->arena != NULL;
}

void names_close(struct names *names)
{
    arena_destroy(names->arena);
    free(names->items.items);
    map_clear(&names->index);
}

static uint64_t hash(const unsigned char *data, size_t size)
{
    uint64_t value = size;
    for (size_t i = 0; i < size; i++)
        value = (value ^ data[i]) * 0x100000001b3u;
    return map_mix(value);
}

uint32_t names_add(struct names *names, const void *data, size_t size, bool *added)
{
    bool unused;
    if (!added)
        added = &unused;
    *added = false;
    for (uint64_t key = hash(data, size);; key++) { /* another text may have the same hash */
        uint32_t *place = map_at(&names->index, key, NEW);
        if (!place)
            return MAP_NONE;
        if (*place != NEW) {
            const struct name *name = &names->items.items[*place];
            if (name->size == size && memcmp(name->data, data, size) == 0)
                return *place;
            continue;
        }
        struct name name = {arena_memdup(names->arena, data, size ? size : 1), size};
        if (!name.data || !array_push(&names->items, name))
            return MAP_NONE;
        *added = true;
        return *place = (uint32_t)(names->items.count - 1);
    }
}
