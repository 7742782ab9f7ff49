/* Names (or other bytes), each once, numbered in order of their first appearance. */
#ifndef BASE_NAME_SET_H
#define BASE_NAME_SET_H

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name {
    const void *data;
    size_t size;
};

/* An all-zero set is empty. */
struct name_set {
    ARRAY(struct name) items;
    struct arena *arena; /* owns the data */
    struct map index;
};

/* The number of these bytes, which are copied if they are new; `*added` (may be NULL): whether
 * they are. MAP_NONE if out of memory: the set may then only be cleared. */
uint32_t name_set_add(struct name_set *set, const void *data, size_t size, bool *added);
/* The same for a text. */
uint32_t name_set_text(struct name_set *set, const char *text, bool *added);

/* Frees the memory; the set is empty and usable again. */
void name_set_clear(struct name_set *set);

#endif
