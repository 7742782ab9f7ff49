/* Computation in intervals of some milliseconds, then a message to the right and one from the left:
 * mpiexec -np N napping ITERATIONS. It sleeps instead of computing, so that on fewer cores than
 * ranks it takes as long as with a core for each rank; rank 0 prints the time of the iterations. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void compute(long us)
{
    const struct timespec time = {.tv_nsec = us * 1000};
    nanosleep(&time, NULL);
}

/* MPICH spins while it waits, and would take the cores from the others. */
static void wait_politely(MPI_Request *requests)
{
    int done = 0;
    while (MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !done)
        compute(50);
}

int main(int argc, char **argv)
{
    int rank, size, iterations = argc > 1 ? atoi(argv[1]) : 200;
    double out = 0, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        MPI_Request requests[2];
        compute(2000 + 500 * ((rank + i) % 5));
        MPI_Irecv(&in, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
        wait_politely(requests);
    }
    if (rank == 0)
        printf("time: %.6f s\n", MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
