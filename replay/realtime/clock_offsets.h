/* How the clocks of several hosts differ from rank 0's, so that predicted traces are consistent. */
#ifndef REPLAY_REALTIME_CLOCK_OFFSETS_H
#define REPLAY_REALTIME_CLOCK_OFFSETS_H

#include "base/clock.h"
#include "base/mpi/processes.h"

struct clock_offset {
    double at;     /* this process's clock, seconds */
    double offset; /* to be added to it for rank 0's, seconds */
};

/* Collective. The smallest round trip of several to rank 0 decides. */
struct clock_offset clock_offset_measure(const struct processes *processes,
                                         const struct clock *clock);

#endif
