#include "trace/spawned.h"

#include "base/otf2_attributes.h"
#include "trace/threads.h"

#include <stdio.h>
#include <string.h>

bool spawned_next(const struct definitions *d, size_t *at, struct spawned_world *world)
{
    const char *text = definitions_property(d, SILAS_PROPERTY_SPAWNED);
    const uint32_t processes = mpi_process_count(d);
    while (text && text[*at]) {
        const char *part = text + *at;
        const size_t length = strcspn(part, ";");
        uint32_t first, size, creator;
        *at += length + (part[length] == ';');
        if (sscanf(part, "%u %u %u", &first, &size, &creator) != 3 || first >= processes ||
            size > processes - first || creator >= first)
            continue;
        *world = (struct spawned_world){mpi_process_first_rank(d, first),
                                        mpi_process_first_rank(d, first + size),
                                        mpi_process_first_rank(d, creator)};
        return true;
    }
    return false;
}

uint32_t spawned_world_count(const struct definitions *d)
{
    struct spawned_world world;
    uint32_t count = 1;
    for (size_t at = 0; spawned_next(d, &at, &world);)
        count++;
    return count;
}

uint32_t spawned_world_of(const struct definitions *d, uint32_t rank)
{
    struct spawned_world world;
    uint32_t number = 1;
    for (size_t at = 0; spawned_next(d, &at, &world); number++)
        if (rank >= world.first && rank < world.end)
            return number;
    return 0;
}

uint32_t spawned_creator(const struct definitions *d, uint32_t rank)
{
    struct spawned_world world;
    for (size_t at = 0; spawned_next(d, &at, &world);)
        if (rank >= world.first && rank < world.end)
            return world.creator;
    return INDEX_NONE;
}
