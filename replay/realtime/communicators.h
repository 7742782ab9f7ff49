/* The MPI communicators that a replay needs, made before the clock starts. */
#ifndef REPLAY_REALTIME_COMMUNICATORS_H
#define REPLAY_REALTIME_COMMUNICATORS_H

#include "base/array.h"
#include "base/mpi/handles.h"
#include "trace/trace.h"

struct communicator_pool;

struct persistent_comm {
    uint32_t comm, number; /* as in collective_persistent */
    MPI_Comm real;
};

struct communicators {
    MPI_Comm *real;     /* [comm_count]; MPI_COMM_NULL: not used, or without this rank */
    MPI_Comm *topology; /* [comm_count]: copies with neighbours; MPI_COMM_NULL: not needed, or the
                           neighbours are not recorded on all members */
    uint32_t count;     /* of `real` and `topology` */
    MPI_Comm world;     /* all processes, for MPI_Finalize */
    /* If several threads of a process have messages on a communicator (trace/threads.h): a
     * communicator for each pair of a sending and a receiving thread, [comm_count][threads *
     * threads]; NULL: no process has several threads. */
    MPI_Comm **pairs;
    uint32_t threads; /* the largest number of a process */
    /* Where ranks start persistent operations in different orders, each operation has a copy of the
     * communicator: MPI has no other way to let nonblocking ones begin in any order. Sorted. */
    ARRAY(struct persistent_comm) persistent;
    struct communicator_pool *pool; /* owns the communicators above */
};

/* Collective. This process replays the trace's rank of the same number. Communicators with equal
 * ordered groups share an MPI communicator, unless their times of use overlap. The next replay by
 * processes in the same order uses the same MPI communicators. Fails with STATUS_ENVIRONMENT and
 * the number if MPI does not create enough; nothing is left to release then. MPI errors on any of
 * them go to `handler`. */
enum status communicators_create(const struct trace *trace, MPI_Errhandler handler,
                                 struct communicators *communicators, struct error *error);

/* The arguments of MPI for a message of an owned stream. */
void communicators_address(const struct communicators *communicators, const struct trace *trace,
                           const struct stream *stream, const struct message *message,
                           MPI_Comm *comm, int *peer);

/* The communicator on which a matched collective operation is replayed. */
MPI_Comm communicators_of_collective(const struct communicators *communicators,
                                     const struct collective *collective);

/* Collective. The last release frees the MPI communicators. All zero is allowed. */
void communicators_release(struct communicators *communicators);

#endif
