/* The processes of a tool that works in parallel: who they are, agreement on errors, and bulk
 * exchange. Uses PMPI_* only, so that the tracer can share it. Everything here is collective. */
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

/* Duplicates `comm`. Finds out whether this host has fewer cores than processes (base/topology). */
enum status processes_open(struct processes *processes, MPI_Comm comm, struct error *error);
void processes_close(struct processes *processes);

/* Agreement: if any process comes with a status other than STATUS_OK, all leave with the error of
 * the lowest such process. To be called before any collective step that a failed process would
 * miss. */
enum status processes_agree(const struct processes *processes, enum status status,
                            struct error *error);

/* Runs in all waits of this file and is for others' waits: completes the request, sleeping between
 * tests where processes share cores (RECIPES: a barrier of spinning MPICH costs 10 ms a rank). */
void processes_wait(const struct processes *processes, MPI_Request *request);

void processes_barrier(const struct processes *processes);
/* In place, element-wise over all processes. */
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

/* A buffer of records for each process. An array of them from calloc takes memory only where
 * something is put in: the system gives the other pages on writing. */
struct outbox {
    char *data;
    size_t size, capacity;
};

/* Sends outbox[p] to process p and returns what all sent to this one, in order of the senders, as
 * one block (free it). `sizes_in` (may be NULL) receives the bytes from each process. The outboxes
 * are emptied and their memory freed. Any size in all. Needs memory for those who send to each
 * other only, and no exchange among all. */
enum status processes_exchange(const struct processes *processes, struct outbox *outbox,
                               char **received, size_t *received_size, size_t *sizes_in,
                               struct error *error);

/* The same for outboxes that may be `filled` incompletely on some process, for want of memory (or
 * `outbox` NULL there): then nothing is sent, all empty theirs, and all fail with the error that
 * names what was `doing`. `outbox` itself stays the caller's. */
enum status processes_exchange_filled(const struct processes *processes, struct outbox *outbox,
                                      bool filled, const char *doing, char **received,
                                      size_t *received_size, struct error *error);

/* Appends to an outbox; false when memory is out. */
bool outbox_put(struct outbox *outbox, const void *data, size_t size);

/* Frees the outboxes' memory, for the error paths. */
void outbox_clear(struct outbox *outbox, int count);

/* Gathers every process's bytes at process 0 (which gets a block to free, in order of processes,
 * and, if `sizes_in` is given, the bytes of each); the others get NULL and 0. */
enum status processes_gather(const struct processes *processes, const void *data, size_t size,
                             char **received, size_t *received_size, size_t *sizes_in,
                             struct error *error);

#endif
