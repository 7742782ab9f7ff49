/* Where the ranks of a replay run: hosts, cores, and whether there is a core for each. */
#ifndef REPLAY_REALTIME_PLACEMENT_H
#define REPLAY_REALTIME_PLACEMENT_H

#include "base/mpi/processes.h"

struct placement {
    MPI_Comm host;            /* the processes on this host */
    int host_rank, host_size; /* in it */
    int threads;              /* this process replays so many ranks, each in a thread */
    int host_threads;         /* of all processes of the host */
    int *thread_cores; /* [threads]: the core of each, -1: not bound; the first one is bound */
    struct topology *topology; /* of the host, for binding threads */
    int cores;                 /* that any of these processes may use */
    size_t cache_bytes;        /* of the largest cache above this process's core, 0: unknown */
    int cache_sharers;         /* of these processes share that cache */
    bool crowded;              /* some host has fewer cores than processes, or shares them */
    bool several_hosts;
};

/* Collective. Finds the host's processes. Binds this process to a core of its own if there is one
 * for each process and the launcher has not bound them already. */
enum status placement_open(const struct processes *processes, int threads,
                           struct placement *placement, struct error *error);
/* Binds the calling thread to the core of that number among this process's threads. */
void placement_bind_thread(const struct placement *placement, int number);
void placement_close(struct placement *placement);

#endif
