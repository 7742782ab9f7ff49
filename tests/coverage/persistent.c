/* Persistent collective operations of MPI 4: made once, started three times, waited for and tested;
 * for coverage. Any number of processes; the neighbours are those in a ring. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION < 4
int main(void)
{
    return 77; /* newer.sh skips what this MPI does not have */
}
#else

enum { LENGTH = 50, ROUNDS = 3, MOST = 64 };

static int rank, size;
static MPI_Comm world, ring;
static int sent[LENGTH * MOST], received[LENGTH * MOST];
static int counts[MOST], displacements[MOST], displacements_in_bytes[MOST];
static MPI_Count large_counts[MOST];
static MPI_Aint large_displacements[MOST], large_displacements_in_bytes[MOST];
static MPI_Datatype types[MOST];
static MPI_Request requests[64];
static int request_count;

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static MPI_Request *next(void)
{
    return &requests[request_count++];
}

static void require(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void prepare(void)
{
    for (int i = 0; i < size; i++) {
        counts[i] = (int)(large_counts[i] = LENGTH);
        displacements[i] = (int)(large_displacements[i] = LENGTH * i);
        displacements_in_bytes[i] = LENGTH * i * (int)sizeof(int);
        large_displacements_in_bytes[i] = displacements_in_bytes[i];
        types[i] = MPI_INT;
    }
    for (int i = 0; i < LENGTH * MOST; i++)
        sent[i] = rank + 1;
}

#define INFO MPI_INFO_NULL

static void make(void)
{
    MPI_Barrier_init(world, INFO, next());
    MPI_Bcast_init(received, LENGTH, MPI_INT, 0, world, INFO, next());
    MPI_Gather_init(sent, LENGTH, MPI_INT, received, LENGTH, MPI_INT, 0, world, INFO, next());
    MPI_Gatherv_init(sent, LENGTH, MPI_INT, received, counts, displacements, MPI_INT, 0, world,
                     INFO, next());
    if (size == 2) /* with more, MPICH 4.0.2 fails when it is started again */
        MPI_Scatter_init(sent, LENGTH, MPI_INT, received, LENGTH, MPI_INT, 0, world, INFO, next());
    MPI_Scatterv_init(sent, counts, displacements, MPI_INT, received, LENGTH, MPI_INT, 0, world,
                      INFO, next());
    MPI_Allgather_init(sent, LENGTH, MPI_INT, received, LENGTH, MPI_INT, world, INFO, next());
    MPI_Allgatherv_init(sent, LENGTH, MPI_INT, received, counts, displacements, MPI_INT, world,
                        INFO, next());
    MPI_Alltoall_init(sent, LENGTH, MPI_INT, received, LENGTH, MPI_INT, world, INFO, next());
    MPI_Alltoallv_init(sent, counts, displacements, MPI_INT, received, counts, displacements,
                       MPI_INT, world, INFO, next());
    MPI_Alltoallw_init(sent, counts, displacements_in_bytes, types, received, counts,
                       displacements_in_bytes, types, world, INFO, next());
    MPI_Reduce_init(sent, received, LENGTH, MPI_INT, MPI_SUM, 0, world, INFO, next());
    MPI_Allreduce_init(sent, received, LENGTH, MPI_INT, MPI_SUM, world, INFO, next());
    MPI_Reduce_scatter_init(sent, received, counts, MPI_INT, MPI_SUM, world, INFO, next());
    MPI_Reduce_scatter_block_init(sent, received, LENGTH, MPI_INT, MPI_SUM, world, INFO, next());
    MPI_Scan_init(sent, received, LENGTH, MPI_INT, MPI_SUM, world, INFO, next());
    MPI_Exscan_init(sent, received, LENGTH, MPI_INT, MPI_SUM, world, INFO, next());
}

static void make_large(void)
{
    MPI_Bcast_init_c(received, LENGTH, MPI_INT, 0, world, INFO, next());
    MPI_Alltoallv_init_c(sent, large_counts, large_displacements, MPI_INT, received, large_counts,
                         large_displacements, MPI_INT, world, INFO, next());
    MPI_Allreduce_init_c(sent, received, LENGTH, MPI_INT, MPI_SUM, world, INFO, next());
}

static void make_neighbours(void)
{
    MPI_Neighbor_allgather_init(sent, LENGTH, MPI_INT, received, LENGTH, MPI_INT, ring, INFO,
                                next());
    MPI_Neighbor_allgatherv_init(sent, LENGTH, MPI_INT, received, counts, displacements, MPI_INT,
                                 ring, INFO, next());
    MPI_Neighbor_alltoall_init(sent, LENGTH, MPI_INT, received, LENGTH, MPI_INT, ring, INFO,
                               next());
    MPI_Neighbor_alltoallv_init(sent, counts, displacements, MPI_INT, received, counts,
                                displacements, MPI_INT, ring, INFO, next());
    MPI_Neighbor_alltoallw_init(sent, counts, large_displacements_in_bytes, types, received, counts,
                                large_displacements_in_bytes, types, ring, INFO, next());
}

/* Every operation alone, by turns waited for and tested; the start of some is that of an array. */
static void one_by_one(int round)
{
    for (int i = 0; i < request_count; i++) {
        compute(50 * (rank + 1));
        if (round == 1)
            MPI_Startall(1, &requests[i]);
        else
            MPI_Start(&requests[i]);
        compute(20);
        if (round == 2) {
            for (int done = 0; !done; compute(5))
                MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
        } else {
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    const int periodic = 1;
    MPI_Status statuses[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    prepare();
    make();
    make_large();
    make_neighbours();
    for (int round = 0; round < ROUNDS; round++)
        one_by_one(round);
    for (int i = 0; i < request_count; i++)
        MPI_Request_free(&requests[i]);
    request_count = 0;
    MPI_Allreduce_init(sent, received, LENGTH, MPI_INT, MPI_SUM, world, INFO, next());
    MPI_Barrier_init(world, INFO, next());
    compute(100 * (rank + 1));
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    require(received[0] == size * (size + 1) / 2, "the sum");
    for (int i = 0; i < request_count; i++)
        MPI_Request_free(&requests[i]);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
#endif
