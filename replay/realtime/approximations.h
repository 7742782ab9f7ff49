/* Calls that a replay only approximates: counted while compiling, and reported to the user. */
#ifndef REPLAY_REALTIME_APPROXIMATIONS_H
#define REPLAY_REALTIME_APPROXIMATIONS_H

#include <stdint.h>

/* X(identifier, text after the number) */
#define APPROXIMATIONS(X)                                                                          \
    X(SYNCHRONISED,                                                                                \
      "collective calls that are not reenacted (some communicator creation, files, "               \
      "neighbourhoods without a topology in the trace): a barrier plus the recorded rest")         \
    X(NO_RECORD, "communication calls without a record of their operation: recorded length")       \
    X(ONE_SIDED, "one-sided calls without a record of their operation: recorded length")           \
    X(OPERATOR, "atomic one-sided operations with an unknown operator: sums")                      \
    X(DYNAMIC, "dynamic windows: windows as large as their largest operation")                     \
    X(FILES, "file calls: recorded length")                                                        \
    X(EVEN_SHARES, "collective calls with unknown counts per peer: shares estimated from the "     \
                   "totals")                                                                       \
    X(READY, "ready sends: standard sends")                                                        \
    X(MATCHED_PROBE, "matched probes: plain probes, their receives plain receives")                \
    X(BUFFERED, "buffered sends larger than the buffer space: nonblocking sends")                  \
    X(UNFINISHED, "waits that name no request: wait for all requests not completed elsewhere")     \
    X(WILDCARDS, "receives from any source or with any tag: the recorded message (wildcards = "    \
                 "free: whichever comes first)")                                                   \
    X(THREADS, "ranks that are threads: the cost of their calls is not fitted to the recording, "  \
               "and lost cores are not corrected")                                                 \
    X(SPAWNED,                                                                                     \
      "ranks that MPI_Comm_spawn has started: begin at their recorded times, also after a change " \
      "(silas-model moves them); MPI_Finalize takes its recorded time")                            \
    X(WAITS,                                                                                       \
      "waits of sends, windows, MPI_Finalize and operations between two groups that [wait] "       \
      "removes: as MPI makes them wait")                                                           \
    X(SOME_WAIT, "collective calls in which [wait] removes the waits of some members only: a "     \
                 "nonblocking barrier plus the recorded rest")                                     \
    X(LAYOUTS, "calls with datatypes that cannot be rebuilt: contiguous data of their size")       \
    X(REDUCTIONS, "reductions by an operator of the program whose time is not recorded: sums, "    \
                  "which may take less time")                                                      \
    X(REDUCED_BYTES, "reductions whose element size is unknown: bit-wise or on bytes")

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
