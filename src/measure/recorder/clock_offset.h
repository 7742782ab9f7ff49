/* How far this rank's clock is from rank 0's. */
#ifndef MEASURE_CLOCK_OFFSET_H
#define MEASURE_CLOCK_OFFSET_H

#include <mpi.h>
#include <stdint.h>

struct clock_offset {
    uint64_t time;  /* on this rank's clock */
    int64_t offset; /* to be added to get rank 0's */
};

/* Collective over `comm`, a communicator of the tracer's own, at its creation and at every use.
 * `now` is the clock; `identity` is equal on processes that read the same clock (one kernel, one
 * counter), which get the same offset; those of rank 0's clock get 0 without a message. One process
 * of each other clock exchanges messages with rank 0. */
struct clock_offset clock_offset_measure(MPI_Comm comm, uint64_t identity, uint64_t (*now)(void));

#endif
