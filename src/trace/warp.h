/* Moves the time stamps of one location along with those of another. */
#ifndef TRACE_WARP_H
#define TRACE_WARP_H

#include <stddef.h>
#include <stdint.h>

/* Maps `times` (ascending, in place) by the piecewise linear function that maps before[i] to
 * after[i]; times beyond the ends shift as the first and last point. Without points nothing
 * changes. */
void warp_times(const uint64_t *before, const uint64_t *after, size_t points, uint64_t *times,
                size_t count);

#endif
