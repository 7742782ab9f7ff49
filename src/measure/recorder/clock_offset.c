/* Cristian's method: a message goes to rank 0 and comes back with its time. Of many exchanges the
 * one that took least counts; half of its duration is the bound of the error. */
#include "measure/recorder/clock_offset.h"

#include "base/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EXCHANGES = 100, TAG_GO = 1, TAG_ASK, TAG_ANSWER };

static void answer(MPI_Comm comm, int rank, uint64_t (*now)(void))
{
    PMPI_Send(NULL, 0, MPI_BYTE, rank, TAG_GO, comm);
    for (int i = 0; i < EXCHANGES; i++) {
        PMPI_Recv(NULL, 0, MPI_BYTE, rank, TAG_ASK, comm, MPI_STATUS_IGNORE);
        uint64_t time = now();
        PMPI_Send(&time, 1, MPI_UINT64_T, rank, TAG_ANSWER, comm);
    }
}

static struct clock_offset ask(MPI_Comm comm, uint64_t (*now)(void))
{
    struct clock_offset best = {0, 0};
    uint64_t shortest = UINT64_MAX;
    PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_GO, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < EXCHANGES; i++) {
        uint64_t theirs, before = now();
        PMPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ASK, comm);
        PMPI_Recv(&theirs, 1, MPI_UINT64_T, 0, TAG_ANSWER, comm, MPI_STATUS_IGNORE);
        uint64_t took = now() - before;
        if (took < shortest) {
            shortest = took;
            best.time = before + took / 2;
            best.offset = (int64_t)(theirs - best.time);
        }
    }
    return best;
}

/* Of each clock the lowest rank that has it. */
static bool find_leaders(const uint64_t *identities, int size, int *leaders)
{
    struct map first = {0};
    bool ready = true;
    for (int rank = 0; rank < size && ready; rank++) {
        uint32_t *leader = map_at(&first, identities[rank], (uint32_t)rank);
        ready = leader != NULL;
        if (ready)
            leaders[rank] = (int)*leader;
    }
    map_clear(&first);
    return ready;
}

/* Rank 0 has one turn after the other, so that they do not disturb each other. */
static void answer_leaders(MPI_Comm comm, const int *leaders, int size, uint64_t (*now)(void))
{
    for (int rank = 1; rank < size; rank++) {
        if (leaders[rank] == rank)
            answer(comm, rank, now);
    }
}

static void share(const int *leaders, int size, struct clock_offset *offsets)
{
    for (int rank = 0; rank < size; rank++)
        offsets[rank] = offsets[leaders[rank]];
}

struct clock_offset clock_offset_measure(MPI_Comm comm, uint64_t identity, uint64_t (*now)(void))
{
    int rank, size, leader = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);

    uint64_t *identities = NULL;
    int *leaders = NULL;
    struct clock_offset *offsets = NULL;
    if (rank == 0) {
        identities = malloc((size_t)size * sizeof *identities);
        leaders = calloc((size_t)size, sizeof *leaders);
        offsets = malloc((size_t)size * sizeof *offsets);
    }
    int ready = rank != 0 || (identities && leaders && offsets);
    PMPI_Bcast(&ready, 1, MPI_INT, 0, comm);
    struct clock_offset own = {now(), 0};
    if (!ready)
        goto free_all;

    PMPI_Gather(&identity, 1, MPI_UINT64_T, identities, 1, MPI_UINT64_T, 0, comm);
    /* Without memory for the map all count as rank 0's clock, which is true of most runs. */
    if (rank == 0 && !find_leaders(identities, size, leaders))
        memset(leaders, 0, (size_t)size * sizeof *leaders);
    PMPI_Scatter(leaders, 1, MPI_INT, &leader, 1, MPI_INT, 0, comm);
    if (rank == 0)
        answer_leaders(comm, leaders, size, now);
    else if (leader == rank)
        own = ask(comm, now);
    PMPI_Gather(&own, sizeof own, MPI_BYTE, offsets, sizeof own, MPI_BYTE, 0, comm);
    if (rank == 0)
        share(leaders, size, offsets);
    PMPI_Scatter(offsets, sizeof own, MPI_BYTE, &own, sizeof own, MPI_BYTE, 0, comm);
free_all:
    free(identities);
    free(leaders);
    free(offsets);
    return own;
}
