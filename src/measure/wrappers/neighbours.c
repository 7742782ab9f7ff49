/* The neighbours of a process in a topology, in the order of the buffers' blocks (MPI 3.1, 7.6). */
#include "measure/wrappers/communicators.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for the neighbours, and for `more` numbers after them. */
static bool allocate(struct communicator *comm, int sources, int destinations, int more)
{
    comm->sources = calloc((size_t)(sources + destinations + more) + 1, sizeof *comm->sources);
    if (!comm->sources)
        return false;
    comm->destinations = comm->sources + sources;
    comm->source_count = sources;
    comm->destination_count = destinations;
    return true;
}

/* A Cartesian communicator: both neighbours in each dimension. */
static void ask_cart(struct communicator *comm)
{
    int dimensions;
    PMPI_Cartdim_get(comm->handle, &dimensions);
    if (!allocate(comm, 2 * dimensions, 2 * dimensions, 0))
        return;
    for (int d = 0; d < dimensions; d++)
        PMPI_Cart_shift(comm->handle, d, 1, &comm->sources[2 * d], &comm->sources[2 * d + 1]);
    memcpy(comm->destinations, comm->sources, 2 * (size_t)dimensions * sizeof *comm->sources);
}

static void ask_graph(struct communicator *comm)
{
    int count;
    PMPI_Graph_neighbors_count(comm->handle, comm->rank, &count);
    if (!allocate(comm, count, count, 0))
        return;
    PMPI_Graph_neighbors(comm->handle, comm->rank, count, comm->sources);
    memcpy(comm->destinations, comm->sources, (size_t)count * sizeof *comm->sources);
}

static void ask_dist_graph(struct communicator *comm)
{
    int sources, destinations, weighted;
    PMPI_Dist_graph_neighbors_count(comm->handle, &sources, &destinations, &weighted);
    if (!allocate(comm, sources, destinations, sources + destinations))
        return;
    int *weights = comm->destinations + destinations;
    PMPI_Dist_graph_neighbors(comm->handle, sources, comm->sources, weights, destinations,
                              comm->destinations, weights + sources);
}

/* Defines the list of neighbours in the trace, without MPI_PROC_NULL. */
static uint32_t define_ranks(const int *ranks, int count)
{
    uint64_t *present = malloc(((size_t)count + 1) * sizeof *present);
    size_t kept = 0;
    for (int i = 0; present && i < count; i++)
        if (ranks[i] != MPI_PROC_NULL)
            present[kept++] = (uint64_t)ranks[i];
    const uint32_t id = present ? define_numbers(DEFINITION_COUNTS, present, kept) : RECORD_NONE;
    free(present);
    return id;
}

void communicator_ask_neighbours(struct communicator *comm)
{
    int topology;
    if (comm->source_count >= 0)
        return;
    comm->source_count = comm->destination_count = 0;
    PMPI_Topo_test(comm->handle, &topology);
    if (topology == MPI_CART)
        ask_cart(comm);
    else if (topology == MPI_GRAPH)
        ask_graph(comm);
    else if (topology == MPI_DIST_GRAPH)
        ask_dist_graph(comm);
    comm->sources_id = define_ranks(comm->sources, comm->source_count);
    comm->destinations_id = define_ranks(comm->destinations, comm->destination_count);
}
