/* Ranks and MPI processes. Nearly always each MPI process of the traced program is one rank. If
 * threads of a process communicate at the same time (MPI_THREAD_MULTIPLE), the loader makes each of
 * these threads a rank (trace/load/split_threads.c). The members of communicators are ranks then,
 * and all of SILAS treats such a rank like a process. The ranks of one MPI process are adjacent,
 * its master thread first. Only the functions here know the processes of the archive.
 *
 * `d` are the definitions of a trace. */
#ifndef TRACE_THREADS_H
#define TRACE_THREADS_H

#include "base/status.h"
#include "trace/definitions.h"

#include <stddef.h>

/* The MPI processes of a trace in which a process has several ranks. In the arena of the
 * definitions. */
struct thread_ranks {
    uint32_t mpi_process_count;
    uint32_t *first_rank;  /* [mpi_process_count + 1] */
    uint32_t *mpi_process; /* [rank] */
    uint32_t *thread;      /* [rank]: its number among the threads of its process, from 0 */
    uint32_t comm_count;   /* communicators of the archive; those of windows and parts of
                              communicators follow them */
    uint32_t group_count;  /* groups of the archive; groups with ranks as members follow them,
                              and then groups added since */
    uint32_t *group_of;    /* [2 * comm_count]: the archive's groups of a communicator */
    uint32_t total_comms;  /* with windows and parts */
    uint32_t *comm_of; /* [total_comms]: the communicator of the archive of which it is a part */
    uint32_t total_groups; /* with groups of ranks */
    uint32_t *recorded;    /* [total_groups]: the archive's group; INDEX_NONE: not in the archive */
    uint32_t *window_comms; /* [window]: the archive's communicator of the window */
};

/* The number of MPI processes, the process of a rank, and the first rank of a process. */
uint32_t mpi_process_count(const struct definitions *d);
uint32_t mpi_process_of(const struct definitions *d, uint32_t rank);
uint32_t mpi_process_first_rank(const struct definitions *d, uint32_t mpi_process);

/* The number of a rank among the ranks of its process; 0 is the master thread. */
uint32_t thread_of_rank(const struct definitions *d, uint32_t rank);

enum { RANK_NAME_SIZE = 48 };

/* Writes the name of a rank for messages and reports into `text`, and returns `text`: "rank 3", or
 * "rank 3, thread 1" if processes of the trace have several ranks. 3 is the number of the process
 * then. */
const char *rank_name(const struct definitions *d, uint32_t rank, char text[RANK_NAME_SIZE]);

/* Fails with STATUS_INPUT if an MPI process of the trace has several ranks, because `tool` cannot
 * use such a trace. */
enum status threads_refuse(const struct definitions *d, const char *path, const char *tool,
                           struct error *error);

/* The communicator of the archive, the communicator of a window of the archive, and the group of
 * the archive from which those of the trace were made. */
uint32_t recorded_comm(const struct definitions *d, uint32_t comm);
uint32_t recorded_window_comm(const struct definitions *d, uint32_t window);
uint32_t recorded_group(const struct definitions *d, uint32_t group);

/* True if the group belongs into an archive: unless it was made for ranks. */
bool group_is_recorded(const struct definitions *d, uint32_t group);

/* The number of communicators in the archive (without those of windows), and the groups of one of
 * them. */
uint32_t recorded_comm_count(const struct definitions *d);
uint32_t recorded_group_of(const struct definitions *d, uint32_t comm, bool remote);

/* The rank in the archive's communicator of the peer that has rank `peer` in `comm` as seen from
 * world rank `caller`. */
uint32_t recorded_peer(const struct definitions *d, uint32_t comm, uint32_t caller, uint32_t peer);

#endif
