/* The neighbours of a process in a topology, in the order of the buffers' blocks (MPI 3.1, 7.6). */
#include "measure/wrappers/communicators.h"

#include <stdlib.h>

static int *ranks_new(int count)
{
    return malloc((size_t)(count > 0 ? count : 1) * sizeof(int));
}

/* A Cartesian communicator: both neighbours in each dimension. */
static void ask_cart(struct communicator *comm)
{
    int dimensions;
    PMPI_Cartdim_get(comm->handle, &dimensions);
    comm->sources = ranks_new(2 * dimensions);
    comm->destinations = ranks_new(2 * dimensions);
    if (!comm->sources || !comm->destinations)
        return;
    for (int d = 0; d < dimensions; d++)
        PMPI_Cart_shift(comm->handle, d, 1, &comm->sources[2 * d], &comm->sources[2 * d + 1]);
    for (int i = 0; i < 2 * dimensions; i++)
        comm->destinations[i] = comm->sources[i];
    comm->source_count = comm->destination_count = 2 * dimensions;
}

static void ask_graph(struct communicator *comm)
{
    int count;
    PMPI_Graph_neighbors_count(comm->handle, comm->rank, &count);
    comm->sources = ranks_new(count);
    comm->destinations = ranks_new(count);
    if (!comm->sources || !comm->destinations)
        return;
    PMPI_Graph_neighbors(comm->handle, comm->rank, count, comm->sources);
    for (int i = 0; i < count; i++)
        comm->destinations[i] = comm->sources[i];
    comm->source_count = comm->destination_count = count;
}

static void ask_dist_graph(struct communicator *comm)
{
    int sources, destinations, weighted, *weights;
    PMPI_Dist_graph_neighbors_count(comm->handle, &sources, &destinations, &weighted);
    comm->sources = ranks_new(sources);
    comm->destinations = ranks_new(destinations);
    weights = ranks_new(sources + destinations);
    if (comm->sources && comm->destinations && weights) {
        PMPI_Dist_graph_neighbors(comm->handle, sources, comm->sources, weights, destinations,
                                  comm->destinations, weights + sources);
        comm->source_count = sources;
        comm->destination_count = destinations;
    }
    free(weights);
}

/* Defines the list of neighbours in the trace, without MPI_PROC_NULL. */
static uint32_t define_ranks(const int *ranks, int count)
{
    uint64_t *present = malloc(((size_t)count + 1) * sizeof *present);
    size_t kept = 0;
    for (int i = 0; present && i < count; i++)
        if (ranks[i] != MPI_PROC_NULL)
            present[kept++] = (uint64_t)ranks[i];
    const uint32_t id = present ? define_counts(present, kept) : RECORD_NONE;
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
