/* How far the clocks of processes on other hosts are from rank 0's: for the tracer, and for replays
 * on several hosts. */
#ifndef BASE_MPI_CLOCK_OFFSET_H
#define BASE_MPI_CLOCK_OFFSET_H

#include <mpi.h>
#include <stdint.h>

struct clock_offset {
    uint64_t time;  /* on this rank's clock, in its unit */
    int64_t offset; /* to be added to get rank 0's */
};

/* Collective over `comm`, on which nothing else is under way. `now` reads the clock; `data` is
 * handed to it. `identity` is equal on processes that read the same clock (one kernel, one
 * counter), which get the same offset; those of rank 0's clock get 0 without a message. One process
 * of each other clock exchanges messages with rank 0: Cristian's method (Distributed Computing 3,
 * 1989). Of many exchanges the shortest counts; half of its duration bounds the error. If memory is
 * out, all get 0. */
struct clock_offset clock_offset_measure(MPI_Comm comm, uint64_t identity,
                                         uint64_t (*now)(const void *data), const void *data);

#endif
