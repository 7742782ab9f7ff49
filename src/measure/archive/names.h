/* Texts, each once, numbered in the order they came. */
#ifndef MEASURE_ARCHIVE_NAMES_H
#define MEASURE_ARCHIVE_NAMES_H

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

struct names {
    struct arena *arena;
    ARRAY(struct name) items;
    struct map index;
};

/* False when memory is out. */
bool names_open(struct names *names);
void names_close(struct names *names);

/* The number of these bytes; `*added` (may be NULL) is true if they are new. MAP_NONE when memory
 * is out. */
uint32_t names_add(struct names *names, const void *data, size_t size, bool *added);

#endif
