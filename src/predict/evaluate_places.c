/* Where a rank is in the communicators that a script declares. */
#include "predict/evaluate_private.h"

#include "base/sort.h"

static uint32_t stride_of(const struct cartesian_grid *grid, uint32_t dimension)
{
    uint32_t stride = 1;
    for (uint32_t d = dimension + 1; d < grid->count; d++)
        stride *= grid->extents[d];
    return stride;
}

int64_t grid_coordinate(const struct cartesian_grid *grid, uint32_t rank, uint32_t dimension)
{
    return rank / stride_of(grid, dimension) % grid->extents[dimension];
}

int64_t grid_shift(const struct cartesian_grid *grid, uint32_t rank, uint32_t dimension,
                   int64_t distance)
{
    int64_t extent = grid->extents[dimension], here = grid_coordinate(grid, rank, dimension);
    int64_t there = here + distance;
    if (grid->periodic[dimension])
        there = (there % extent + extent) % extent;
    if (there < 0 || there >= extent)
        return -1;
    return (int64_t)rank + (there - here) * (int64_t)stride_of(grid, dimension);
}

const struct evaluated_comm *comm_part_of(const struct script_evaluator *e, uint32_t comm)
{
    const struct comm_places *places = &e->comms[comm];
    const uint32_t number = places->number[e->rank];
    const struct comm_part *parts = places->parts.items;
    if (number == INDEX_NONE)
        return NULL;
    return &parts[first_where(1, places->parts.count, i, parts[i].number > number) - 1];
}
