/* Many calls of a small function between collective operations: compiled with silas-cc, the cost of
 * tracing is a large part of its time. Each call needs the result of the one before. With a second
 * argument the calls are independent, and the processor overlaps them unless they are traced.
 * Prints the time of the iterations. Used by bench/replay/compensate. */
#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 2000, STEPS = 100 };

static volatile double sink;

__attribute__((noinline)) static void small_function(double seed)
{
    double value = seed;
    for (int i = 0; i < STEPS; i++)
        value = value * 0.999 + 1;
    sink = value;
}

int main(int argc, char **argv)
{
    int rank, iterations = argc > 1 ? atoi(argv[1]) : 1000;
    bool overlap = argc > 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        double mine = i, all;
        for (int call = 0; call < CALLS; call++)
            small_function(overlap ? call : sink);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("time: %.6f s\n", MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
