/* Communicates in many ways, and prints what it has received; for failing-calls.sh. */
#include <mpi.h>

#include <stdio.h>

static int rank, other;

static void check(const char *what, int value, int wanted)
{
    printf("rank %d: %s %d of %d\n", rank, what, value, wanted);
}

static void add_last(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Derived datatypes and an operator of the program. */
static void exchange_columns(int out)
{
    int grid[8] = {out, 0, out, 0, out, 0, out, 0}, column[4] = {-1, -1, -1, -1}, sum = -1;
    MPI_Datatype every_second, both;
    MPI_Op add;
    MPI_Type_vector(2, 1, 2, MPI_INT, &every_second);
    MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){0, 16}, every_second, &both);
    MPI_Type_free(&every_second);
    MPI_Type_commit(&both);
    MPI_Sendrecv(grid, 1, both, other, 6, column, 4, MPI_INT, other, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check("column", column[3], other);
    MPI_Op_create(add_last, 1, &add);
    MPI_Scan(&out, &sum, 1, MPI_INT, add, MPI_COMM_WORLD);
    check("own sum", sum, rank);
    MPI_Op_free(&add);
    MPI_Type_free(&both);
}

int main(int argc, char **argv)
{
    int in = -1, in_both[2] = {-1, -1}, out, sum = 0, index, flag = 0;
    MPI_Comm half, ring, graph, edges, single, both;
    MPI_Datatype pair;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    out = rank;
    MPI_Sendrecv(&out, 1, MPI_INT, other, 1, &in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &status);
    check("exchange", in, other);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Irecv(in_both, 1, pair, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend((int[]){rank, 7}, 1, pair, other, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &index, &status);
    MPI_Waitany(2, requests, &index, &status);
    check("pair", in_both[1], 7);
    MPI_Irecv(&in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &half);
    MPI_Reduce(&out, &sum, 1, MPI_INT, MPI_SUM, 0, half);
    MPI_Scan(&out, &sum, 1, MPI_INT, MPI_SUM, half);
    check("sum", sum, 1);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &(int){2}, &(int){1}, 0, &ring);
    MPI_Neighbor_allgather(&out, 1, MPI_INT, in_both, 1, MPI_INT, ring);
    check("neighbour", in_both[1], other);
    MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &graph);
    MPI_Neighbor_allgather(&out, 1, MPI_INT, in_both, 1, MPI_INT, graph);
    check("graph's neighbour", in_both[0], other);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &edges);
    in_both[0] = -1;
    MPI_Neighbor_allgather(&out, 1, MPI_INT, in_both, 1, MPI_INT, edges);
    check("distributed graph's neighbour", in_both[0], other);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &single);
    MPI_Intercomm_create(single, 0, MPI_COMM_WORLD, other, 5, &both);
    MPI_Alltoall(&out, 1, MPI_INT, &sum, 1, MPI_INT, both);
    check("other group's value", sum, other);
    MPI_Win_create(&in, sizeof in, sizeof in, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&out, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    check("put", in, other);
    MPI_Win_free(&window);
    MPI_Issend(&out, 1, MPI_INT, rank, 4, half, &requests[0]);
    while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 4, half, &flag, &status);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 4, half, &status);
    MPI_Waitall(1, requests, &status);
    check("probed", in, other);
    exchange_columns(out);
    MPI_Type_free(&pair);
    MPI_Comm_free(&both);
    MPI_Comm_free(&single);
    MPI_Comm_free(&edges);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&half);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
