#include "predict/dims.h"

#include <assert.h>
#include <stdbool.h>

/* Whether `factor` to the power of `dimensions` is at least `count`. */
static bool reaches(uint64_t factor, uint32_t dimensions, uint64_t count)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < dimensions && product < count; i++)
        product *= factor;
    return product >= count;
}

static bool find_extents(uint32_t count, uint32_t dimensions, uint32_t most, uint32_t *extents)
{
    if (dimensions == 1) {
        extents[0] = count;
        return count <= most;
    }
    for (uint32_t factor = 1; factor <= count && factor <= most; factor++) {
        if (count % factor != 0 || !reaches(factor, dimensions, count))
            continue;
        extents[0] = factor;
        if (find_extents(count / factor, dimensions - 1, factor, extents + 1))
            return true;
    }
    return false;
}

uint32_t dims_extent(uint32_t count, uint32_t dimensions, uint32_t index)
{
    assert(count > 0 && dimensions > 0 && dimensions <= DIMS_MOST && index < dimensions);
    uint32_t extents[DIMS_MOST];
    find_extents(count, dimensions, count, extents);
    return extents[index];
}
