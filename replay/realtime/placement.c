#include "replay/realtime/placement.h"
#include "base/topology.h"

#include <assert.h>
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

/* Binds this process's threads, except if processes may use different cores: then the user has
 * bound them. If hosts share cores, each host would bind its processes to the first ones. */
static enum status bind_to_own_core(struct placement *placement, const struct topology *topology,
                                    const int *cores, int first, bool same, bool shared,
                                    struct error *error)
{
    for (int i = 0; i < placement->threads; i++)
        placement->thread_cores[i] = -1;
    if (!same || placement->host_threads > placement->cores || shared)
        return STATUS_OK;
    for (int i = 0; i < placement->threads; i++)
        placement->thread_cores[i] = cores[first + i];
    return topology_bind(topology, cores[first], error);
}

void placement_bind_thread(const struct placement *placement, int number)
{
    assert(number >= 0 && number < placement->threads);
    struct error ignored = {STATUS_OK, ""}; /* placement_open has reported that it is forbidden */
    if (placement->thread_cores[number] >= 0)
        topology_bind(placement->topology, placement->thread_cores[number], &ignored);
}

enum status placement_open(const struct processes *processes, int threads,
                           struct placement *placement, struct error *error)
{
    assert(threads > 0);
    int threads_until = 0; /* of the processes up to this one */
    struct topology *topology = NULL;
    int *cores = calloc(CORES_MAX, sizeof *cores);
    struct core_sets *sets = calloc(1, sizeof *sets);
    memset(placement, 0, sizeof *placement);
    placement->threads = threads;
    placement->thread_cores = calloc((size_t)threads + 1, sizeof *placement->thread_cores);
    processes_split_hosts(processes, &placement->host);
    MPI_Comm_rank(placement->host, &placement->host_rank);
    MPI_Comm_size(placement->host, &placement->host_size);
    MPI_Scan(&threads, &threads_until, 1, MPI_INT, MPI_SUM, placement->host);
    MPI_Allreduce(&threads, &placement->host_threads, 1, MPI_INT, MPI_SUM, placement->host);

    enum status status = cores && sets && placement->thread_cores
                             ? topology_open(&topology, error)
                             : error_memory(error, "the list of cores");
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
    int64_t facts[2] = {processes->naps || placement->host_threads > placement->cores,
                        placement->host_size < processes->size};
    processes_max(processes, facts, 2);
    placement->crowded = facts[0] != 0;
    placement->several_hosts = facts[1] != 0;
    placement->cache_bytes =
        topology_cache(topology, cores[(threads_until - threads) % (count > 0 ? count : 1)],
                       &placement->cache_sharers);
    if (placement->cache_sharers > placement->host_threads)
        placement->cache_sharers = placement->host_threads;
    status = bind_to_own_core(placement, topology, cores, threads_until - threads, same,
                              processes->naps, error);
    status = processes_agree(processes, status, error);

close_topology:
    placement->topology = topology;
    free(sets);
    free(cores);
    if (status != STATUS_OK)
        placement_close(placement);
    return status;
}

void placement_close(struct placement *placement)
{
    if (placement->host_size > 0)
        MPI_Comm_free(&placement->host);
    placement->host_size = 0;
    topology_close(placement->topology);
    placement->topology = NULL;
    free(placement->thread_cores);
    placement->thread_cores = NULL;
}
