/* Communicators made in every way, and messages and collective operations between two groups; for
 * coverage. An even number of processes. */
#include <mpi.h>

#include <stdlib.h>

#define WORLD MPI_COMM_WORLD

static int rank, size;
static int numbers[1000], others[1000];

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void use(MPI_Comm *comm)
{
    compute(100 * (rank + 1));
    MPI_Allreduce(numbers, others, 10, MPI_INT, MPI_SUM, *comm);
    MPI_Comm_free(comm);
}

static void within(void)
{
    MPI_Comm comm, part;
    MPI_Group all, half;
    MPI_Request request;
    int range[1][3] = {{0, size / 2 - 1, 1}}, dims[2] = {size / 2, 2}, periods[2] = {1, 0},
        remain[2] = {0, 1};
    compute(500 * (size - rank));
    MPI_Comm_dup(WORLD, &comm);
    use(&comm);
    MPI_Comm_idup(WORLD, &comm, &request);
    compute(200);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(&comm);
    compute(500 * rank);
    MPI_Comm_split(WORLD, rank % 2, -rank, &comm);
    use(&comm);
    MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
    use(&comm);
    MPI_Comm_group(WORLD, &all);
    MPI_Group_range_incl(all, 1, range, &half);
    MPI_Comm_create(WORLD, half, &comm);
    if (comm != MPI_COMM_NULL)
        use(&comm);
    if (rank < size / 2) {
        MPI_Comm_create_group(WORLD, half, 3, &comm);
        use(&comm);
    }
    MPI_Group_free(&half);
    MPI_Group_free(&all);
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &comm);
    MPI_Cart_sub(comm, remain, &part);
    use(&part);
    use(&comm);
}

static void between(void)
{
    const int right = rank >= size / 2, root = right ? MPI_ROOT : 0;
    int counts[64], places[64], flag = 0;
    MPI_Comm half, inter, merged;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_split(WORLD, right, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, right ? 0 : size / 2, 5, &inter);
    MPI_Sendrecv(numbers, 50, MPI_INT, rank % (size / 2), 1, others, 50, MPI_INT, rank % (size / 2),
                 1, inter, &status);
    if (right)
        MPI_Send(numbers, 5, MPI_INT, rank - size / 2, 2, inter);
    else
        MPI_Recv(numbers, 5, MPI_INT, MPI_ANY_SOURCE, 2, inter, &status);
    MPI_Barrier(inter);
    MPI_Bcast(numbers, 20, MPI_INT, rank == size / 2 ? root : right ? MPI_PROC_NULL : 0, inter);
    MPI_Gather(numbers, 20, MPI_INT, others, 20, MPI_INT,
               rank == size / 2 ? root
               : right          ? MPI_PROC_NULL
                                : 0,
               inter);
    MPI_Allgather(numbers, 10, MPI_INT, others, 10, MPI_INT, inter);
    MPI_Alltoall(numbers, 10, MPI_INT, others, 10, MPI_INT, inter);
    MPI_Allreduce(numbers, others, 10, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < size / 2; i++) {
        counts[i] = 4;
        places[i] = 4 * i;
    }
    MPI_Alltoallv(numbers, counts, places, MPI_INT, others, counts, places, MPI_INT, inter);
    MPI_Ibarrier(inter, &request);
    while (!flag)
        MPI_Test(&request, &flag, &status);
    MPI_Intercomm_merge(inter, right, &merged);
    use(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    within();
    between();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
