/* Maps from the ids of an archive to indices into the definitions. */
#ifndef TRACE_LOAD_DEFINITION_IDS_H
#define TRACE_LOAD_DEFINITION_IDS_H

#include "base/map.h"
#include "base/otf2_attributes.h"
#include "trace/definitions.h"

/* From archive ids to indices. Small ids, which nearly all are, need no hashing. */
struct id_map {
    uint32_t *low; /* ids below low_count; INDEX_NONE where undefined */
    uint32_t low_count;
    struct map high;
};

bool id_map_set(struct id_map *map, uint64_t id, uint32_t index);
void id_map_clear(struct id_map *map);

static inline uint32_t id_map_get(const struct id_map *map, uint64_t id)
{
    if (id < map->low_count)
        return map->low[id];
    return map->high.count ? map_get(&map->high, id) : INDEX_NONE;
}

/* The ids in this archive of the attributes that SILAS's tracer adds (base/otf2_attributes.h). */
struct attribute_ids {
    uint32_t id[SILAS_ATTRIBUTE_COUNT]; /* INDEX_NONE: not defined */
    bool any;                           /* false: no event carries one */
};

/* The maps that the reader of events needs in addition to the definitions. */
struct definition_ids {
    struct id_map strings, regions, groups, comms, windows;
    const char **string_texts; /* [index of a string] */
    struct attribute_ids attributes;
};

/* Frees the maps; the ids may be all zero. */
void definition_ids_clear(struct definition_ids *ids);

#endif
