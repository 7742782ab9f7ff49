/* The worlds of a run. The program's own MPI_COMM_WORLD is world 0; each MPI_Comm_spawn adds a
 * world. The file DIR/records/worlds gives every world a range of the archive's ranks
 * and counts its processes, so that the last one that ends knows that it is the last. Processes of
 * the program, launchers and keepers change the file under a lock.
 *
 * A spawned process starts as silas-trace, which the tracer puts before the spawned command. So a
 * world is added before its processes start, and a process of it is counted three times: when its
 * silas-trace starts, when it enters MPI_Init, and when it has ended and its keeper has written its
 * part. No process waits for another one. Processes that were announced but never start are given
 * up as soon as the process that spawned them has ended, or knows that the call has failed. */
#ifndef MEASURE_WORLDS_H
#define MEASURE_WORLDS_H

#include "measure/recorder/record_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world {
    uint32_t first, size; /* its ranks in the archive */
    uint32_t creator;     /* the rank that was the root of MPI_Comm_spawn; RECORD_NONE: world 0 */
    uint32_t started, initialised, ended; /* processes; initialised: have entered MPI_Init */
    uint32_t settled;                     /* not 0: no more processes will start */
    uint32_t unused;
};

/* The functions that return bool return false, with errno, if the file cannot be read or written.
 */

/* Makes the file, with world 0. */
bool worlds_create(const char *directory, uint32_t size);

/* Adds a world of `size` ranks; `*first` becomes its first one. */
bool worlds_add(const char *directory, uint32_t size, uint32_t creator, uint32_t *first);

/* The call that was to spawn the world from rank `first` has failed. */
bool worlds_settle(const char *directory, uint32_t first);

/* A process of the world starts, or enters MPI_Init. False, with errno 0, if the run no longer
 * waits for the world; then the process must not be recorded. */
bool worlds_start(const char *directory, uint32_t first);
bool worlds_initialise(const char *directory, uint32_t first);

/* Whether all processes of the world have entered MPI_Init under the tracer. When MPI_Init of one
 * of them, or the MPI_Comm_spawn that has started them, returns, the answer no longer changes. */
bool worlds_is_recorded(const char *directory, uint32_t first);

/* A process of the world has ended; `rank` is its rank in the archive, RECORD_NONE: it was not
 * recorded. `*last` becomes true if no other process is awaited. This happens once in a run. */
bool worlds_end(const char *directory, uint32_t first, uint32_t rank, bool *last);

/* Reads the worlds that have ranks in the archive, in the order of their ranks. Between them may be
 * ranks of worlds that were not recorded. `*worlds` is to be freed. */
bool worlds_read(const char *directory, struct world **worlds, size_t *count);

/* The archive's number of ranks: those of all recorded worlds. */
uint32_t worlds_rank_count(const struct world *worlds, size_t count);

/* The world of a rank; NULL: it was not recorded. */
const struct world *worlds_of_rank(const struct world *worlds, size_t count, uint32_t rank);

#endif
