/* Cartesian grids of ranks, numbered as MPI numbers them: the last coordinate runs fastest. */
#ifndef PREDICTION_GRID_H
#define PREDICTION_GRID_H

#include <stdbool.h>
#include <stdint.h>

#define DIMS_MOST 8 /* dimensions */

/* Extent `index` (from 0) of the grid of `count` ranks in 1 to DIMS_MOST dimensions: whole numbers
 * whose product is `count`, in falling order, the largest as small as possible, then the next. That
 * is what MPICH's MPI_Dims_create gives for up to 1024 ranks in two to four dimensions, but for 360
 * in three (10 x 6 x 6 instead of 9 x 8 x 5). */
uint32_t grid_extent(uint32_t count, uint32_t dimensions, uint32_t index);

/* The grid of a Cartesian communicator. */
struct cartesian_grid {
    uint32_t count; /* of dimensions */
    uint32_t extents[DIMS_MOST];
    bool periodic[DIMS_MOST];
};

/* The coordinate of a rank of the grid in a dimension < grid->count. */
int64_t grid_coordinate(const struct cartesian_grid *grid, uint32_t rank, uint32_t dimension);
/* The rank of its neighbour at a distance; -1: none. */
int64_t grid_shift(const struct cartesian_grid *grid, uint32_t rank, uint32_t dimension,
                   int64_t distance);

#endif
