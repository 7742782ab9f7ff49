/* The MPI communicators that a replay needs, made before the clock starts. */
#ifndef REPLAY_REALTIME_COMMUNICATORS_H
#define REPLAY_REALTIME_COMMUNICATORS_H

#include "trace/trace.h"

struct communicator_pool;

struct communicators {
    MPI_Comm *real; /* [comm_count]; MPI_COMM_NULL where it is not used or this rank is no member */
    MPI_Comm *topology; /* [comm_count]: copies with neighbours; MPI_COMM_NULL where they are not
                           needed or not known to all members */
    uint32_t count;     /* of both */
    MPI_Comm world;     /* all processes, for MPI_Finalize */
    /* Where several threads of a process have messages on a communicator (trace/threads.h): a
     * communicator for each pair of a sending and a receiving thread, [comm_count][threads *
     * threads]; NULL: there are none. */
    MPI_Comm **pairs;
    uint32_t threads;               /* the most of a process */
    struct communicator_pool *pool; /* owns the communicators above */
};

/* Collective; this process replays the trace's rank of the same number. Communicators with equal
 * ordered groups share an MPI communicator unless their times of use overlap. The MPI communicators
 * are kept for the next replay by processes in the same order. Fails with STATUS_ENVIRONMENT and
 * the count when MPI does not create as many. MPI errors on any of them go to `handler`. */
enum status communicators_create(const struct trace *trace, MPI_Errhandler handler,
                                 struct communicators *communicators, struct error *error);

/* The arguments of MPI for a message of an owned stream. */
void communicators_address(const struct communicators *communicators, const struct trace *trace,
                           const struct stream *stream, const struct message *message,
                           MPI_Comm *comm, int *peer);

/* Collective. The last release frees the MPI communicators. */
void communicators_release(struct communicators *communicators);

#endif
