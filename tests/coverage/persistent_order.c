/* Persistent collective operations are made in one order and started in another on each rank:
 * broadcasts of two sizes from one root, a reduction, a barrier, a neighbourhood exchange. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

#if MPI_VERSION < 4
int main(void)
{
    return 77;
}
#else

enum { SMALL = 8, LARGE = 100000, ROUNDS = 4, OPERATIONS = 5 };

static char small[SMALL], large[LARGE];

int main(int argc, char **argv)
{
    int rank, size, one = 1, sum, periodic = 1, sent = 0, received[2];
    MPI_Request requests[OPERATIONS], other;
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Bcast_init(small, SMALL, MPI_CHAR, 0, ring, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(large, LARGE, MPI_CHAR, 0, ring, MPI_INFO_NULL, &requests[1]);
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, ring, MPI_INFO_NULL, &requests[2]);
    MPI_Barrier_init(ring, MPI_INFO_NULL, &requests[3]);
    MPI_Neighbor_allgather_init(&sent, 1, MPI_INT, received, 1, MPI_INT, ring, MPI_INFO_NULL,
                                &requests[4]);
    for (int round = 0; round < ROUNDS; round++) {
        memset(large, rank == 0 ? round + 1 : 0, LARGE);
        sent = rank + round;
        for (int i = 0; i < OPERATIONS; i++)
            MPI_Start(&requests[(i * (rank % 2 ? 1 : OPERATIONS - 1) + rank + round) % OPERATIONS]);
        MPI_Ibarrier(ring, &other); /* in the same place of all ranks' other operations */
        MPI_Waitall(OPERATIONS, requests, MPI_STATUSES_IGNORE);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
        if (large[LARGE - 1] != round + 1 || sum != size ||
            received[0] != (rank + size - 1) % size + round) {
            fprintf(stderr, "rank %d: wrong values\n", rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int i = 0; i < OPERATIONS; i++)
        MPI_Request_free(&requests[i]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
#endif
