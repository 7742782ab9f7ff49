/* Extents of balanced grids of ranks, as MPI_Dims_create makes them. */
#ifndef PREDICTION_DIMS_H
#define PREDICTION_DIMS_H

#include <stdint.h>

#define DIMS_MOST 8 /* dimensions */

/* Extent `index` (from 0) of the grid of `count` ranks in 1 to DIMS_MOST dimensions: whole numbers
 * whose product is `count`, in falling order, the largest as small as possible, then the next. That
 * is what MPICH's MPI_Dims_create gives for up to 1024 ranks in two to four dimensions, but for 360
 * in three (10 x 6 x 6 instead of 9 x 8 x 5). */
uint32_t dims_extent(uint32_t count, uint32_t dimensions, uint32_t index);

#endif
