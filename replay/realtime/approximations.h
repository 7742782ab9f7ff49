/* Calls that a replay only approximates: counted while compiling, and reported to the user. */
#ifndef REPLAY_REALTIME_APPROXIMATIONS_H
#define REPLAY_REALTIME_APPROXIMATIONS_H

#include <stdint.h>

/* X(identifier, text after the number) */
#define APPROXIMATIONS(X)                                                                          \
    X(SYNCHRONISED,                                                                                \
      "collective calls that a replay cannot make (creation of some communicators, files, "        \
      "neighbourhoods without a topology in the trace): replayed as a barrier and the rest "       \
      "of their recorded time")                                                                    \
    X(NO_RECORD,                                                                                   \
      "communication calls whose operation is not recorded: they take their recorded time")        \
    X(ONE_SIDED, "one-sided calls whose operation is not recorded: they take their recorded time") \
    X(OPERATOR, "atomic one-sided operations whose operator is not recorded: replayed as sums")    \
    X(DYNAMIC, "dynamic windows: replayed as windows as large as their largest operation")         \
    X(FILES, "file calls: they take their recorded time")                                          \
    X(EVEN_SHARES,                                                                                 \
      "collective calls whose counts per peer are not recorded: counts are estimated from "        \
      "the totals of the ranks")                                                                   \
    X(READY, "ready sends: replayed as standard sends")                                            \
    X(MATCHED_PROBE,                                                                               \
      "matched probes and their receives: replayed as ordinary probes and receives")               \
    X(BUFFERED, "buffered sends larger than the buffer: replayed as nonblocking sends")            \
    X(UNFINISHED,                                                                                  \
      "waits whose requests are not recorded: they wait for all requests that no other "           \
      "call completes")                                                                            \
    X(WILDCARDS, "receives from any source or with any tag: they receive the recorded message "    \
                 "(wildcards = free: the first that arrives)")                                     \
    X(THREADS,                                                                                     \
      "ranks that are threads: the cost of their calls is not fitted to the recording, and "       \
      "lost cores are not corrected")                                                              \
    X(SPAWNED,                                                                                     \
      "ranks that MPI_Comm_spawn has started: they begin at their recorded times, also "           \
      "after a change (silas-model moves them), and MPI_Finalize takes its recorded time")         \
    X(WAITS,                                                                                       \
      "waits of sends, windows, MPI_Finalize and operations between two groups that [wait] "       \
      "should remove: MPI still makes them wait")                                                  \
    X(SOME_WAIT,                                                                                   \
      "collective calls in which [wait] removes the waits of some members only: replayed "         \
      "as a nonblocking barrier and the rest of their recorded time")                              \
    X(LAYOUTS,                                                                                     \
      "calls with datatypes that the replay cannot make: replayed with contiguous data of "        \
      "the same size")                                                                             \
    X(REDUCTIONS,                                                                                  \
      "reductions by an operator of the program whose time is not recorded: replayed as "          \
      "sums, which may take less time")                                                            \
    X(REDUCED_BYTES, "reductions whose element size is not recorded: replayed bit-wise or on "     \
                     "bytes")

enum approximation {
#define X(identifier, text) APPROXIMATION_##identifier,
    APPROXIMATIONS(X)
#undef X
        APPROXIMATION_COUNT
};

struct approximations {
    int64_t counts[APPROXIMATION_COUNT];
};

#endif
