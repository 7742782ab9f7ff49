#include "base/mpi/clock_offset.h"

#include "base/map.h"
#include "base/mpi/handles.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EXCHANGES = 100, TAG_GO = 1, TAG_ASK, TAG_ANSWER };

struct compared {
    const struct processes *processes;
    MPI_Comm comm;
    uint64_t (*now)(const void *data);
    const void *data;
};

/* `count` times or, if it is 0, an empty message. */
static void receive_times(const struct compared *clock, uint64_t *times, int count, int rank,
                          int tag)
{
    MPI_Request request = MPI_REQUEST_NULL; /* as it stays if MPI fails */
    PMPI_Irecv(times, count, MPI_UINT64_T, rank, tag, clock->comm, &request);
    processes_wait(clock->processes, &request);
}

static void answer_process(const struct compared *clock, int rank)
{
    PMPI_Send(NULL, 0, MPI_UINT64_T, rank, TAG_GO, clock->comm);
    for (int i = 0; i < EXCHANGES; i++) {
        receive_times(clock, NULL, 0, rank, TAG_ASK);
        uint64_t time = clock->now(clock->data);
        PMPI_Send(&time, 1, MPI_UINT64_T, rank, TAG_ANSWER, clock->comm);
    }
}

static struct clock_offset measure_against_first(const struct compared *clock)
{
    struct clock_offset best = {0, 0};
    uint64_t shortest = UINT64_MAX;
    receive_times(clock, NULL, 0, 0, TAG_GO);
    for (int i = 0; i < EXCHANGES; i++) {
        uint64_t before = clock->now(clock->data), theirs = before;
        PMPI_Send(NULL, 0, MPI_UINT64_T, 0, TAG_ASK, clock->comm);
        receive_times(clock, &theirs, 1, 0, TAG_ANSWER);
        uint64_t took = clock->now(clock->data) - before;
        if (took < shortest) {
            shortest = took;
            best.time = before + took / 2;
            best.offset = (int64_t)(theirs - best.time);
        }
    }
    return best;
}

/* Finds for each clock the lowest rank that uses it. */
static bool find_leaders(const uint64_t *identities, int size, int *leaders)
{
    struct map first = {0};
    bool allocated = true;
    for (int rank = 0; rank < size && allocated; rank++) {
        uint32_t *leader = map_at(&first, identities[rank], (uint32_t)rank);
        allocated = leader != NULL;
        if (allocated)
            leaders[rank] = (int)*leader;
    }
    map_clear(&first);
    return allocated;
}

struct clock_offset clock_offset_measure(const struct processes *processes, uint64_t identity,
                                         uint64_t (*now)(const void *data), const void *data)
{
    /* Without communication: MPICH 4.0 crashes in requests of a process that has only sessions. */
    if (processes->size == 1)
        return (struct clock_offset){now(data), 0};
    const MPI_Comm comm = processes_comm(processes);
    const struct compared clock = {processes, comm, now, data};
    const int rank = processes->rank, size = processes->size;
    int leader = 0;
    MPI_Request request = MPI_REQUEST_NULL;

    uint64_t *identities = NULL;
    int *leaders = NULL;
    struct clock_offset *offsets = NULL;
    if (rank == 0) {
        identities = malloc((size_t)size * sizeof *identities);
        leaders = calloc((size_t)size, sizeof *leaders);
        offsets = malloc((size_t)size * sizeof *offsets);
    }
    int ready = rank != 0 || (identities && leaders && offsets);
    PMPI_Ibcast(&ready, 1, MPI_INT, 0, comm, &request);
    processes_wait(processes, &request);
    struct clock_offset own = {now(data), 0};
    if (!ready)
        goto free_all;

    PMPI_Igather(&identity, 1, MPI_UINT64_T, identities, 1, MPI_UINT64_T, 0, comm, &request);
    processes_wait(processes, &request);
    /* If out of memory, all count as using rank 0's clock, which holds for most runs. */
    if (rank == 0 && !find_leaders(identities, size, leaders))
        memset(leaders, 0, (size_t)size * sizeof *leaders);
    PMPI_Iscatter(leaders, 1, MPI_INT, &leader, 1, MPI_INT, 0, comm, &request);
    processes_wait(processes, &request);
    /* Rank 0 answers the leaders one after the other, so that they do not disturb each other. */
    for (int asking = 1; rank == 0 && asking < size; asking++)
        if (leaders[asking] == asking)
            answer_process(&clock, asking);
    if (rank != 0 && leader == rank)
        own = measure_against_first(&clock);
    PMPI_Igather(&own, sizeof own, MPI_BYTE, offsets, sizeof own, MPI_BYTE, 0, comm, &request);
    processes_wait(processes, &request);
    for (int other = 0; rank == 0 && other < size; other++)
        offsets[other] = offsets[leaders[other]];
    PMPI_Iscatter(offsets, sizeof own, MPI_BYTE, &own, sizeof own, MPI_BYTE, 0, comm, &request);
    processes_wait(processes, &request);
free_all:
    free(identities);
    free(leaders);
    free(offsets);
    return own;
}
