/* Pairs of processes on two hosts: the first half sends messages of a size to the second half.
 * Prints the time of each rank 0's round, the median: pairs PAIRS BYTES MESSAGES ROUNDS. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 5 || size % 2 != 0) {
        fprintf(stderr, "usage: mpirun -np 2M pairs PAIRS BYTES MESSAGES ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int pairs = atoi(argv[1]), bytes = atoi(argv[2]), messages = atoi(argv[3]),
              rounds = atoi(argv[4]), half = size / 2;
    char *buffer = malloc((size_t)bytes);
    double *seconds = malloc((size_t)rounds * sizeof *seconds);
    if (!buffer || !seconds)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(buffer, 1, (size_t)bytes);
    for (int i = 0; i < rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int k = 0; k < messages && rank % half < pairs; k++)
            if (rank < half)
                MPI_Send(buffer, bytes, MPI_BYTE, rank + half, 1, MPI_COMM_WORLD);
            else
                MPI_Recv(buffer, bytes, MPI_BYTE, rank - half, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        seconds[i] = MPI_Wtime() - begin;
    }
    qsort(seconds, (size_t)rounds, sizeof *seconds, by_value);
    if (rank == 0)
        printf("%.9f\n", seconds[rounds / 2]);
    free(buffer);
    free(seconds);
    MPI_Finalize();
}
