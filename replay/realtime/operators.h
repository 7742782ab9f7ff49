/* Operators that stand for those of the program: they take the recorded time, and leave the data
 * alone. */
#ifndef REPLAY_REALTIME_OPERATORS_H
#define REPLAY_REALTIME_OPERATORS_H

#include "base/clock.h"
#include "base/mpi/handles.h"

#include <stdbool.h>
#include <stdint.h>

/* Makes an operator whose function takes times[2 i + 1] * ticks_scale ticks of the clock for
 * times[2 i] bytes, for i < count / 2; sizes ascend. Between two sizes the time is interpolated,
 * and beyond the largest it grows in proportion. MPI_OP_NULL: there are too many, or out of memory.
 */
MPI_Op operator_make(bool commutes, const uint64_t *times, uint32_t count, double ticks_scale,
                     const struct clock *clock);

#endif
