#include "predict/grid.h"

#include <assert.h>

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

uint32_t grid_extent(uint32_t count, uint32_t dimensions, uint32_t index)
{
    assert(count > 0 && dimensions > 0 && dimensions <= DIMS_MOST && index < dimensions);
    uint32_t extents[DIMS_MOST];
    find_extents(count, dimensions, count, extents);
    return extents[index];
}

static uint32_t stride_of(const struct cartesian_grid *grid, uint32_t dimension)
{
    uint32_t stride = 1;
    for (uint32_t d = dimension + 1; d < grid->count; d++)
        stride *= grid->extents[d];
    return stride;
}

int64_t grid_coordinate(const struct cartesian_grid *grid, uint32_t rank, uint32_t dimension)
{
    assert(dimension < grid->count);
    return rank / stride_of(grid, dimension) % grid->extents[dimension];
}

int64_t grid_shift(const struct cartesian_grid *grid, uint32_t rank, uint32_t dimension,
                   int64_t distance)
{
    assert(grid->count <= DIMS_MOST && dimension < grid->count);
    int64_t extent = grid->extents[dimension], here = grid_coordinate(grid, rank, dimension);
    int64_t there = here + distance;
    if (grid->periodic[dimension])
        there = (there % extent + extent) % extent;
    if (there < 0 || there >= extent)
        return -1;
    return (int64_t)rank + (there - here) * (int64_t)stride_of(grid, dimension);
}
