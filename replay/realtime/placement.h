/* The hosts and cores on which the ranks of a replay run, and whether each rank has a core. */
#ifndef REPLAY_REALTIME_PLACEMENT_H
#define REPLAY_REALTIME_PLACEMENT_H

#include "base/mpi/handles.h"

struct placement {
    MPI_Comm host;            /* the processes on this host */
    int host_rank, host_size; /* in it */
    int threads;              /* number of ranks of this process, each of which runs in a thread */
    int host_threads;         /* of all processes of the host */
    int *thread_cores; /* [threads]: the core of each, -1: not bound; the first one is bound */
    struct topology *topology; /* of the host, for binding threads */
    int cores;                 /* number that the processes of this host may use together */
    size_t cache_bytes;        /* of the largest cache of this process's core, 0: unknown */
    int cache_sharers;         /* number of these processes that share the cache */
    bool crowded;              /* a host has fewer cores than processes, or hosts share cores */
    bool several_hosts;
};

/* Collective. Finds the host's processes. Binds this process to a separate core if each process can
 * have one and the launcher has not bound the processes. On failure nothing is left to close. */
enum status placement_open(const struct processes *processes, int threads,
                           struct placement *placement, struct error *error);
/* Binds the calling thread to the core of that number among this process's threads. */
void placement_bind_thread(const struct placement *placement, int number);
void placement_close(struct placement *placement); /* all zero is allowed */

#endif
