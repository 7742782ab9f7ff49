/* What operations of a core, writes to a file, and MPI calls without messages cost: measured for
 * the sections [operations], [file] and [call] of a hardware file. */
#ifndef REPLAY_CALIBRATE_OPERATIONS_H
#define REPLAY_CALIBRATE_OPERATIONS_H

#include "base/estimate.h"
#include "base/mpi/processes.h"
#include "replay/costs/operation.h"

struct operation_costs {
    bool known[OPERATION_COUNT];                 /* false: this processor has no such thing */
    struct estimate operations[OPERATION_COUNT]; /* seconds */
    size_t buffer[OPERATION_COUNT]; /* bytes that loads beyond the first-level cache and streams go
                                       through; 0: none */
    size_t largest_cache;           /* bytes; 0: unknown */
    bool file_known;                /* false: files could not be written there */
    struct estimate file_latency, file_per_byte; /* of write(2) to a new part of a file, which ends
                                                    in the memory of the system: nothing waits for
                                                    the disk */
    struct estimate call_overhead; /* half of MPI_Irecv from MPI_PROC_NULL and its MPI_Wait */
    int rounds;
};

/* Collective; process 0 measures, on the core on which it is, and the others wait. The result is
 * process 0's. `directory`: where a file is written; nothing remains there. Each of `rounds` rounds
 * measures everything once: figures are medians. Takes some seconds. Fails if memory is out. */
enum status measure_operations(const struct processes *processes, const char *directory,
                               struct operation_costs *costs, struct error *error);

#endif
