/* Offsets between the clocks of processes and that of rank 0, for the tracer and for replays on
 * several hosts. */
#ifndef BASE_MPI_CLOCK_OFFSET_H
#define BASE_MPI_CLOCK_OFFSET_H

#include "base/mpi/processes.h"

#include <stdint.h>

struct clock_offset {
    uint64_t time;  /* on this rank's clock, in its unit */
    int64_t offset; /* add it to get rank 0's time */
};

/* Collective over the processes, which must have no other communication pending. `now` reads the
 * clock and gets `data`. Processes that read the same clock (one kernel, one counter) pass the same
 * `identity` and get the same offset; for rank 0's clock it is 0 without a message. One process for
 * each other clock exchanges messages with rank 0 by Cristian's method (Distributed Computing 3,
 * 1989). The shortest of many exchanges counts; half of its duration bounds the error. If processes
 * share cores, those that wait sleep. If out of memory, all offsets are 0. */
struct clock_offset clock_offset_measure(const struct processes *processes, uint64_t identity,
                                         uint64_t (*now)(const void *data), const void *data);

#endif
