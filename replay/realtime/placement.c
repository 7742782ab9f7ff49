#include "replay/realtime/placement.h"
#include "base/topology.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CORES_MAX = 4096 }; /* of one host */

/* 1 for each core, by its number. */
struct core_sets {
    unsigned char mine[CORES_MAX];
    unsigned char all[CORES_MAX], common[CORES_MAX]; /* of all processes of the host */
};

/* Collective over the host. Returns the number of cores that any of its processes may use, and
 * whether all may use the same. */
static int unite_cores(const struct placement *placement, struct core_sets *sets, bool *same)
{
    int united = 0;
    MPI_Allreduce(sets->mine, sets->all, CORES_MAX, MPI_BYTE, MPI_BOR, placement->host);
    MPI_Allreduce(sets->mine, sets->common, CORES_MAX, MPI_BYTE, MPI_BAND, placement->host);
    for (int i = 0; i < CORES_MAX; i++)
        united += sets->all[i];
    *same = memcmp(sets->all, sets->common, CORES_MAX) == 0;
    return united;
}

/* A process whose cores differ from those of the others was bound on purpose: it stays there. */
static enum status bind_to_own_core(const struct placement *placement,
                                    const struct topology *topology, const int *cores, bool same,
                                    struct error *error)
{
    if (!same || placement->host_size > placement->cores)
        return STATUS_OK;
    return topology_bind(topology, cores[placement->host_rank], error);
}

enum status placement_open(const struct processes *processes, struct placement *placement,
                           struct error *error)
{
    struct topology *topology = NULL;
    int *cores = calloc(CORES_MAX, sizeof *cores);
    struct core_sets *sets = calloc(1, sizeof *sets);
    memset(placement, 0, sizeof *placement);
    MPI_Comm_split_type(processes->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &placement->host);
    MPI_Comm_rank(placement->host, &placement->host_rank);
    MPI_Comm_size(placement->host, &placement->host_size);

    enum status status =
        cores && sets ? topology_open(&topology, error) : error_memory(error, "the list of cores");
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        goto close_topology;
    int count = topology_cores(topology, cores, CORES_MAX);
    if (count > CORES_MAX)
        count = CORES_MAX;
    for (int i = 0; i < count; i++)
        if (cores[i] < CORES_MAX)
            sets->mine[cores[i]] = 1;
    bool same;
    placement->cores = unite_cores(placement, sets, &same);
    int64_t facts[2] = {placement->host_size > placement->cores,
                        placement->host_size < processes->size};
    processes_max(processes, facts, 2);
    placement->crowded = facts[0] != 0;
    placement->several_hosts = facts[1] != 0;
    placement->cache_bytes = topology_cache(
        topology, cores[placement->host_rank % (count > 0 ? count : 1)], &placement->cache_sharers);
    if (placement->cache_sharers > placement->host_size)
        placement->cache_sharers = placement->host_size;
    status = bind_to_own_core(placement, topology, cores, same, error);
    status = processes_agree(processes, status, error);

close_topology:
    topology_close(topology);
    free(sets);
    free(cores);
    return status;
}

void placement_close(struct placement *placement)
{
    if (placement->host_size > 0)
        MPI_Comm_free(&placement->host);
    placement->host_size = 0;
}
