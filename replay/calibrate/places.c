#include "replay/calibrate/places.h"

#include <string.h>

enum { CORES_MAX = 1024 }; /* of one host */

static const enum distance distances[] = {
    [CORES_SHARE_CACHE] = DISTANCE_CACHE,
    [CORES_OF_ONE_PACKAGE] = DISTANCE_SOCKET,
    [CORES_OF_ONE_HOST] = DISTANCE_NODE,
};

/* Collective. */
static bool on_one_host(const struct processes *processes)
{
    MPI_Comm host;
    int size;
    MPI_Comm_split_type(processes->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &size);
    MPI_Comm_free(&host);
    return size == processes->size;
}

struct cores {
    int count;
    int list[CORES_MAX];
};

/* The first pair of each distance among cores that both may use, as process 0 sees it. */
static int pair_cores(const struct topology *topology, const struct cores cores[2],
                      struct place places[DISTANCE_COUNT], int pairs[DISTANCE_COUNT][2])
{
    bool found[DISTANCE_COUNT] = {false};
    int count = 0;
    bool apart = cores[0].count != cores[1].count ||
                 memcmp(cores[0].list, cores[1].list, (size_t)cores[0].count * sizeof(int)) != 0;
    for (int a = 0; a < (apart ? 1 : cores[0].count); a++) {
        for (int b = 0; b < cores[1].count; b++) {
            int pair[2] = {cores[0].list[a], cores[1].list[b]};
            enum distance distance = distances[topology_apart(topology, pair[0], pair[1])];
            if (pair[0] == pair[1] || found[distance])
                continue;
            found[distance] = true;
            places[count].distance = distance;
            memcpy(pairs[count++], pair, sizeof pair);
            if (apart) /* each stays on its core */
                return count;
        }
    }
    return count;
}

enum status places_find(const struct processes *processes, const struct topology *topology,
                        struct place places[DISTANCE_COUNT], int *count, struct error *error)
{
    struct cores cores[2], own = {0};
    int pairs[DISTANCE_COUNT][2] = {{0}};
    memset(cores, 0, sizeof cores);
    own.count = topology_cores(topology, own.list, CORES_MAX);
    if (own.count > CORES_MAX)
        own.count = CORES_MAX;
    if (!on_one_host(processes)) {
        places[0] = (struct place){DISTANCE_NETWORK, own.list[0]};
        *count = 1;
        return STATUS_OK;
    }
    MPI_Gather(&own, sizeof own, MPI_BYTE, cores, sizeof own, MPI_BYTE, 0, processes->comm);
    *count = processes->rank == 0 ? pair_cores(topology, cores, places, pairs) : 0;
    processes_broadcast(processes, count, sizeof *count);
    processes_broadcast(processes, places, DISTANCE_COUNT * sizeof *places);
    processes_broadcast(processes, pairs, sizeof pairs);
    for (int i = 0; i < *count; i++)
        places[i].core = pairs[i][processes->rank];
    if (*count == 0)
        return error_set(error, STATUS_ENVIRONMENT,
                         "the two processes have only one core together; a calibration needs one "
                         "for each");
    return STATUS_OK;
}
