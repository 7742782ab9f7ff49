/* Every neighbourhood collective, blocking and not, on Cartesian and graph communicators; for
 * coverage. Any number of processes from two. */
#include <mpi.h>

#include <stdlib.h>

#define WORLD MPI_COMM_WORLD

enum { MOST = 8, BLOCK = 100 };

static int rank, size;
static int sent[MOST * BLOCK * 2], received[MOST * BLOCK * 2];
static int send_counts[MOST], receive_counts[MOST], places[MOST];
static MPI_Aint wide_places[MOST];
static MPI_Datatype types[MOST];

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void wait_for(MPI_Request *request)
{
    compute(100);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* The length of a message between two ranks, the same on both of them. */
static int length(int from, int to)
{
    return BLOCK + 10 * from + to;
}

static void use(MPI_Comm comm, const int *sources, int source_count, const int *destinations,
                int destination_count)
{
    MPI_Request request;
    for (int i = 0; i < MOST; i++) {
        places[i] = i * BLOCK * 2;
        wide_places[i] = (MPI_Aint)(places[i] * (int)sizeof(int));
        types[i] = MPI_INT;
    }
    compute(200 * (rank + 1));
    MPI_Neighbor_allgather(sent, BLOCK, MPI_INT, received, BLOCK, MPI_INT, comm);
    MPI_Neighbor_alltoall(sent, BLOCK, MPI_INT, received, BLOCK, MPI_INT, comm);
    MPI_Ineighbor_allgather(sent, 3, MPI_INT, received, 3, MPI_INT, comm, &request);
    wait_for(&request);
    MPI_Ineighbor_alltoall(sent, 3, MPI_INT, received, 3, MPI_INT, comm, &request);
    wait_for(&request);
    for (int i = 0; i < source_count; i++)
        receive_counts[i] = sources[i] == MPI_PROC_NULL ? 0 : 10 + sources[i];
    MPI_Neighbor_allgatherv(sent, 10 + rank, MPI_INT, received, receive_counts, places, MPI_INT,
                            comm);
    MPI_Ineighbor_allgatherv(sent, 10 + rank, MPI_INT, received, receive_counts, places, MPI_INT,
                             comm, &request);
    wait_for(&request);
    for (int i = 0; i < source_count; i++)
        receive_counts[i] = sources[i] == MPI_PROC_NULL ? 0 : length(sources[i], rank);
    for (int i = 0; i < destination_count; i++)
        send_counts[i] = destinations[i] == MPI_PROC_NULL ? 0 : length(rank, destinations[i]);
    MPI_Neighbor_alltoallv(sent, send_counts, places, MPI_INT, received, receive_counts, places,
                           MPI_INT, comm);
    MPI_Ineighbor_alltoallv(sent, send_counts, places, MPI_INT, received, receive_counts, places,
                            MPI_INT, comm, &request);
    wait_for(&request);
    MPI_Neighbor_alltoallw(sent, send_counts, wide_places, types, received, receive_counts,
                           wide_places, types, comm);
    MPI_Ineighbor_alltoallw(sent, send_counts, wide_places, types, received, receive_counts,
                            wide_places, types, comm, &request);
    wait_for(&request);
}

/* A line (its ends have one neighbour only) or a ring (of two, both neighbours are the same). */
static void cart(int periodic)
{
    MPI_Comm comm;
    int neighbours[2];
    MPI_Cart_create(WORLD, 1, &size, &periodic, 0, &comm);
    MPI_Cart_shift(comm, 0, 1, &neighbours[0], &neighbours[1]);
    use(comm, neighbours, 2, neighbours, 2);
    MPI_Comm_free(&comm);
}

/* All ranks are neighbours of rank 0, and of no other rank. */
static void star(void)
{
    int index[64], edges[128], all[64], *own = edges, count = size - 1;
    MPI_Comm comm;
    for (int i = 0; i < size - 1; i++)
        edges[i] = all[i] = i + 1;
    index[0] = size - 1;
    for (int i = 1; i < size; i++) {
        edges[size - 2 + i] = 0;
        index[i] = index[i - 1] + 1;
    }
    if (rank > 0) {
        own = &edges[size - 1];
        count = 1;
    }
    MPI_Graph_create(WORLD, size, index, edges, 0, &comm);
    use(comm, own, count, own, count);
    MPI_Comm_free(&comm);
}

/* In one direction; then the same with the last rank at both ends of a chain. */
static void directed(int closed)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    int sources = closed || rank > 0, destinations = closed || rank < size - 1;
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(WORLD, sources, &left, MPI_UNWEIGHTED, destinations, &right,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    use(comm, &left, sources, &right, destinations);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    cart(1);
    cart(0);
    star();
    directed(1);
    directed(0);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
