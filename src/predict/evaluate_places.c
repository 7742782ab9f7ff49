/* Where a rank is in the communicators that a script declares. */
#include "predict/evaluate_private.h"

static uint32_t stride_of(const struct grid *grid, uint32_t dimension)
{
    uint32_t stride = 1;
    for (uint32_t d = dimension + 1; d < grid->count; d++)
        stride *= grid->extents[d];
    return stride;
}

int64_t grid_coordinate(const struct grid *grid, uint32_t rank, uint32_t dimension)
{
    return rank / stride_of(grid, dimension) % grid->extents[dimension];
}

int64_t grid_shift(const struct grid *grid, uint32_t rank, uint32_t dimension, int64_t distance)
{
    int64_t extent = grid->extents[dimension], here = grid_coordinate(grid, rank, dimension);
    int64_t there = here + distance;
    if (grid->periodic[dimension])
        there = (there % extent + extent) % extent;
    if (there < 0 || there >= extent)
        return -1;
    return (int64_t)rank + (there - here) * (int64_t)stride_of(grid, dimension);
}

const struct comm_part *comm_part_of(const struct evaluator *e, uint32_t comm)
{
    const struct comm_places *places = &e->comms[comm];
    uint32_t number = places->number[e->rank], low = 0, high = (uint32_t)places->parts.count;
    if (number == INDEX_NONE)
        return NULL;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (places->parts.items[middle].number <= number)
            low = middle;
        else
            high = middle;
    }
    return &places->parts.items[low];
}
