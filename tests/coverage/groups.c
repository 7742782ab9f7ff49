/* Every collective operation between two groups of different sizes, blocking and not, with the root
 * on either side; for coverage. At least two processes: the first is one group. */
#include <mpi.h>

#define WORLD MPI_COMM_WORLD

enum { BLOCK = 50, MOST = 8 };

static int rank, size, peers;
static int data[MOST * BLOCK], taken[6][MOST * BLOCK];
static int counts[MOST], places[MOST], wide_places[MOST], own[MOST];
static MPI_Datatype types[MOST];
static MPI_Comm between;

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

/* The root as this process has to name it. */
static int root_of(int root)
{
    if ((rank == 0) != (root == 0))
        return root == 0 ? 0 : root - 1; /* on the other side */
    return rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(int root)
{
    MPI_Request requests[6];
    MPI_Status statuses[6]; /* the compiler takes MPI_STATUSES_IGNORE for too short an array */
    const int r = root_of(root);
    compute(300 * (rank + 1));
    MPI_Bcast(data, BLOCK, MPI_INT, r, between);
    MPI_Reduce(data, taken[0], BLOCK, MPI_INT, MPI_SUM, r, between);
    MPI_Gather(data, BLOCK, MPI_INT, taken[0], BLOCK, MPI_INT, r, between);
    MPI_Scatter(data, BLOCK, MPI_INT, taken[0], BLOCK, MPI_INT, r, between);
    MPI_Gatherv(data, rank + 1, MPI_INT, taken[0], counts, places, MPI_INT, r, between);
    MPI_Scatterv(data, counts, places, MPI_INT, taken[0], rank + 1, MPI_INT, r, between);
    MPI_Ibcast(data, BLOCK, MPI_INT, r, between, &requests[0]);
    MPI_Ireduce(data, taken[1], BLOCK, MPI_INT, MPI_SUM, r, between, &requests[1]);
    MPI_Igather(data, BLOCK, MPI_INT, taken[2], BLOCK, MPI_INT, r, between, &requests[2]);
    MPI_Iscatter(data, BLOCK, MPI_INT, taken[3], BLOCK, MPI_INT, r, between, &requests[3]);
    MPI_Igatherv(data, rank + 1, MPI_INT, taken[4], counts, places, MPI_INT, r, between,
                 &requests[4]);
    MPI_Iscatterv(data, counts, places, MPI_INT, taken[5], rank + 1, MPI_INT, r, between,
                  &requests[5]);
    compute(200);
    MPI_Waitall(6, requests, statuses);
}

static void from_all_to_all(void)
{
    MPI_Request request;
    compute(200 * (size - rank));
    MPI_Barrier(between);
    MPI_Allreduce(data, taken[0], BLOCK, MPI_INT, MPI_SUM, between);
    MPI_Allgather(data, 3, MPI_INT, taken[0], 3, MPI_INT, between);
    MPI_Allgatherv(data, rank + 1, MPI_INT, taken[0], counts, places, MPI_INT, between);
    MPI_Alltoall(data, 3, MPI_INT, taken[0], 3, MPI_INT, between);
    for (int i = 0; i < peers; i++)
        counts[i] = 7;
    MPI_Alltoallv(data, counts, places, MPI_INT, taken[0], counts, places, MPI_INT, between);
    MPI_Alltoallw(data, counts, wide_places, types, taken[0], counts, wide_places, types, between);
    MPI_Reduce_scatter(data, taken[0], own, MPI_INT, MPI_SUM, between);
    MPI_Ireduce_scatter(data, taken[0], own, MPI_INT, MPI_SUM, between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ialltoallv(data, counts, places, MPI_INT, taken[0], counts, places, MPI_INT, between,
                   &request);
    compute(100);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    const int members = rank == 0 ? 1 : size - 1;
    peers = size - members;
    for (int i = 0; i < MOST; i++) {
        counts[i] = rank == 0 ? i + 2 : 1; /* what the other side sends */
        places[i] = i * BLOCK;
        wide_places[i] = i * BLOCK * (int)sizeof(int);
        types[i] = MPI_INT;
        own[i] = i < members ? 12 / members : 0;
    }
    own[0] += 12 - members * (12 / members); /* the sums must be the same on both sides */
    MPI_Comm_split(WORLD, rank == 0, rank, &group);
    MPI_Intercomm_create(group, 0, WORLD, rank == 0, 3, &between);
    rooted(0);
    rooted(size - 1);
    from_all_to_all();
    MPI_Comm_free(&between);
    MPI_Comm_free(&group);
    MPI_Finalize();
    return 0;
}
