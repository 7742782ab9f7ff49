/* Where the ranks of a replay run: hosts, cores, and whether there is a core for each. */
#ifndef REPLAY_REALTIME_PLACEMENT_H
#define REPLAY_REALTIME_PLACEMENT_H

#include "base/mpi/processes.h"

struct placement {
    MPI_Comm host;            /* the processes on this host */
    int host_rank, host_size; /* in it */
    int cores;                /* that any of these processes may use */
    size_t cache_bytes;       /* of the largest cache above this process's core, 0: unknown */
    int cache_sharers;        /* of these processes share that cache */
    bool crowded;             /* some host has fewer cores than processes */
    bool several_hosts;
};

/* Collective. Finds the host's processes. Binds this process to a core of its own if there is one
 * for each process and the launcher has not bound them already. */
enum status placement_open(const struct processes *processes, struct placement *placement,
                           struct error *error);
void placement_close(struct placement *placement);

#endif
