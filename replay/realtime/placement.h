/* Where the ranks of a replay run: hosts, cores, and whether there is a core for each. */
#ifndef REPLAY_REALTIME_PLACEMENT_H
#define REPLAY_REALTIME_PLACEMENT_H

#include "base/mpi/processes.h"

struct placement {
    MPI_Comm host;            /* the processes on this host */
    int host_rank, host_size; /* in it */
    int cores;                /* that these processes may run on, all taken together */
    size_t cache_bytes;       /* of the largest cache above this process's core, 0: unknown */
    int cache_sharers;        /* of these processes */
    bool crowded;             /* some host has fewer cores than processes */
    bool several_hosts;
};

/* Collective. Finds the host's processes and, where there is a core for each and the launcher has
 * not bound them already, binds this process to one of its own. */
enum status placement_open(const struct processes *processes, struct placement *placement,
                           struct error *error);
void placement_close(struct placement *placement);

#endif
