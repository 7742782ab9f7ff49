/* Measures the costs of a core's operations, of writes to a file, and of MPI calls without
 * messages, for the sections [operations], [chain], [footprint], [file] and [call] of a hardware
 * file. */
#ifndef REPLAY_CALIBRATE_OPERATIONS_H
#define REPLAY_CALIBRATE_OPERATIONS_H

#include "base/estimate.h"
#include "base/mpi/processes.h"
#include "replay/costs/operation.h"

enum { CALIBRATE_FOOTPRINTS = 16 };

/* A loop that works on `bytes`, again and again. */
struct measured_footprint {
    size_t bytes;
    struct estimate byte, load; /* seconds */
};

struct operation_costs {
    bool known[OPERATION_COUNT];                 /* false: the processor does not have it */
    struct estimate operations[OPERATION_COUNT]; /* seconds */
    bool chains_known[OPERATION_COUNT];
    struct estimate chains[OPERATION_COUNT];                    /* seconds of one in a chain */
    struct measured_footprint footprints[CALIBRATE_FOOTPRINTS]; /* ascending */
    uint32_t footprint_count;
    size_t buffer[OPERATION_COUNT]; /* bytes of the buffer for loads beyond the first-level cache
                                       and for streams; 0: it needs none */
    size_t largest_cache;           /* bytes; 0: unknown */
    bool file_known;                /* false: files could not be written there */
    struct estimate file_latency, file_per_byte; /* of write(2) to a new part of a file, to the
                                                    memory of the system: it does not wait for the
                                                    disk */
    struct estimate call_overhead; /* half of MPI_Irecv from MPI_PROC_NULL and its MPI_Wait */
    int rounds;
};

/* Collective. Process 0 measures, on its current core, and has the result; the others wait. A file
 * is written to `directory` and removed. Figures are medians over rounds, each of which measures
 * everything once. Takes some seconds. Fails only if out of memory. */
enum status measure_operations(const struct processes *processes, const char *directory,
                               struct operation_costs *costs, struct error *error);

#endif
