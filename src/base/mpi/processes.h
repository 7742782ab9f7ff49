/* The processes of a tool that works in parallel: who they are, agreement on errors, reductions.
 * mail.h is for what they send each other. Uses PMPI_* only, so that the tracer can share it.
 * Everything here is collective, unless it says otherwise. */
#ifndef BASE_MPI_PROCESSES_H
#define BASE_MPI_PROCESSES_H

#include "base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct processes {
    MPI_Comm comm;
    int rank, size;
    bool naps; /* more processes than cores: waits sleep instead of spinning */
};

/* Duplicates `comm`. Finds out whether this host has fewer cores than processes (base/cpus.h). */
enum status processes_open(struct processes *processes, MPI_Comm comm, struct error *error);
void processes_close(struct processes *processes);

/* Agreement: if any process comes with a status other than STATUS_OK, all leave with the error of
 * the lowest such process. To be called before any collective step that a failed process would
 * miss. */
enum status processes_agree(const struct processes *processes, enum status status,
                            struct error *error);

/* Completes the request. Where processes share cores it sleeps between tests: a process that spins
 * keeps its core from the one it waits for (a barrier of MPICH then costs 10 ms for each rank). */
void processes_wait(const struct processes *processes, MPI_Request *request);

/* The sleep between two such tests, for loops that test by themselves. Not collective. */
void processes_nap(void);

void processes_barrier(const struct processes *processes);
/* In place, element-wise over all processes; `count` is at most INT_MAX. */
void processes_max(const struct processes *processes, int64_t *values, size_t count);
void processes_min(const struct processes *processes, int64_t *values, size_t count);
void processes_sum(const struct processes *processes, int64_t *values, size_t count);

/* Broadcasts `size` bytes (any size) from process 0. */
void processes_broadcast(const struct processes *processes, void *data, size_t size);

/* Completes an array of records of `size` bytes on all processes: those of process p stand at the
 * places from first[p] up to first[p + 1], and each comes with its own. `first` is the same on all
 * and not above INT_MAX. */
enum status processes_share(const struct processes *processes, void *all, size_t size,
                            const int64_t *first, struct error *error);

#endif
