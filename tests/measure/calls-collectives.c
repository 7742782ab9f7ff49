/* Every collective operation, with counts that tell the ranks and directions apart, blocking,
 * nonblocking, in place and on neighbourhoods; for calls.sh. Two processes. */
#include <mpi.h>

#include <stdlib.h>

#define WORLD MPI_COMM_WORLD

static int rank;
static int a[64], b[64];
static const int counts[] = {1, 2}, zeros[] = {0, 4}, ones[] = {1, 1};

static void rooted_operations(void)
{
    MPI_Bcast(a, 3, MPI_INT, 1, WORLD);
    MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, 0, WORLD);
    MPI_Gatherv(a, 1 + rank, MPI_INT, b, counts, zeros, MPI_INT, 1, WORLD);
    MPI_Scatter(a, 2, MPI_INT, b, 4, MPI_SHORT, 0, WORLD);
    MPI_Scatterv(a, counts, zeros, MPI_INT, b, 1 + rank, MPI_INT, 0, WORLD);
    MPI_Reduce(a, b, 2, MPI_INT, MPI_SUM, 1, WORLD);
}

static void unrooted(void)
{
    const int matrix[] = {1 + rank, 3};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT};
    const MPI_Datatype mine[] = {rank ? MPI_SHORT : MPI_CHAR, rank ? MPI_SHORT : MPI_CHAR};
    MPI_Barrier(WORLD);
    MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, WORLD);
    MPI_Allgatherv(a, 1 + rank, MPI_INT, b, counts, zeros, MPI_INT, WORLD);
    MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, WORLD);
    MPI_Alltoallv(a, matrix, zeros, MPI_INT, b, rank ? (const int[]){3, 3} : (const int[]){1, 2},
                  zeros, MPI_INT, WORLD);
    MPI_Alltoallw(a, ones, zeros, types, b, ones, zeros, mine, WORLD);
    MPI_Allreduce(a, b, 2, MPI_INT, MPI_SUM, WORLD);
    MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, WORLD);
    MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, WORLD);
    MPI_Scan(a, b, 2, MPI_INT, MPI_SUM, WORLD);
    MPI_Exscan(a, b, 2, MPI_INT, MPI_SUM, WORLD);
}

static void in_place(void)
{
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : a, 2, MPI_INT, b, 2, MPI_INT, 0, WORLD);
    MPI_Scatter(a, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : b, 2, MPI_INT, 0, WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INT, WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, zeros, MPI_INT, WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INT, WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b, ones, zeros, MPI_INT, WORLD);
    MPI_Reduce(rank == 1 ? MPI_IN_PLACE : a, b, 2, MPI_INT, MPI_SUM, 1, WORLD);
    MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_INT, MPI_SUM, WORLD);
    MPI_Scan(MPI_IN_PLACE, b, 2, MPI_INT, MPI_SUM, WORLD);
}

static void nonblocking_operations(void)
{
    MPI_Request requests[3], request;
    MPI_Ibarrier(WORLD, &requests[0]);
    MPI_Ibcast(a, 3, MPI_INT, 0, WORLD, &requests[1]);
    MPI_Iallreduce(a + 8, b, 2, MPI_INT, MPI_SUM, WORLD, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Igatherv(a, 1 + rank, MPI_INT, b, counts, zeros, MPI_INT, 1, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ireduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A ring of two without wrap-around: one neighbour each, the other one is MPI_PROC_NULL. */
static void neighbourhood_operations(void)
{
    MPI_Comm line, star;
    MPI_Request request;
    const int size = 2, periodic = 0, both[] = {0, 1};
    MPI_Cart_create(WORLD, 1, &size, &periodic, 0, &line);
    MPI_Neighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, line);
    MPI_Neighbor_alltoallv(a, counts, zeros, MPI_INT, b, rank ? (const int[]){2, 1} : counts, zeros,
                           MPI_INT, line);
    MPI_Ineighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
    /* From both to rank 0. */
    MPI_Dist_graph_create_adjacent(WORLD, rank == 0 ? 2 : 0, both, MPI_UNWEIGHTED, 1, both,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
    MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, star);
    MPI_Comm_free(&star);
}

/* Between the two halves of the world, which are one rank each. */
static void operations_between_groups(void)
{
    MPI_Comm inter;
    const int own_root = rank == 0 ? MPI_ROOT : 0;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, 1 - rank, 5, &inter);
    MPI_Bcast(a, 3, MPI_INT, own_root, inter);
    MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, own_root, inter);
    MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, inter);
    MPI_Sendrecv(a, 1, MPI_INT, 0, 1, b, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    rooted_operations();
    unrooted();
    in_place();
    nonblocking_operations();
    neighbourhood_operations();
    operations_between_groups();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
