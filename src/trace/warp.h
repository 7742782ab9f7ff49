/* Moving the time stamps of one location along with another's. */
#ifndef TRACE_WARP_H
#define TRACE_WARP_H

#include <stddef.h>
#include <stdint.h>

/* Maps `times` (ascending, in place) by the piecewise linear function that takes before[i] to
 * after[i]; beyond the ends they are shifted as the first and last point. No points: nothing
 * changes. */
void warp_times(const uint64_t *before, const uint64_t *after, size_t points, uint64_t *times,
                size_t count);

#endif
