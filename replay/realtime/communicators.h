/* The real communicators that stand for those of the trace, made before the clock starts. */
#ifndef REPLAY_REALTIME_COMMUNICATORS_H
#define REPLAY_REALTIME_COMMUNICATORS_H

#include "trace/trace.h"

struct communicator_pool;

struct communicators {
    MPI_Comm *real; /* [comm_count]; MPI_COMM_NULL where this rank is no member or it is not used */
    MPI_Comm *topology; /* [comm_count]: the same with its neighbours; MPI_COMM_NULL where they are
                           not needed or not known to all members */
    uint32_t topology_count;
    MPI_Comm world;                 /* all ranks, for MPI_Finalize */
    struct communicator_pool *pool; /* whose they are */
};

/* Collective; this process replays the trace's rank of the same number. Communicators with equal
 * ordered groups share a real one unless something is posted on both within the same span of time.
 * Real ones are kept for the next replay by processes in the same order. Fails with
 * STATUS_ENVIRONMENT and the count when MPI does not grant as many. `handler` is called for errors
 * of MPI on any of them. */
enum status communicators_create(const struct trace *trace, MPI_Errhandler handler,
                                 struct communicators *communicators, struct error *error);

/* Collective, after communicators_free_topologies. The last release frees the real ones. */
void communicators_release(struct communicators *communicators);

#endif
