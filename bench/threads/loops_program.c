/* Parallel regions with a triangular loop, critical sections and a serial part:
 *   loops_program LENGTH [unlocked]      LENGTH: of the critical sections; unlocked: the same work
 * outside of them OMP_NUM_THREADS and OMP_SCHEDULE choose threads and schedule. Prints "time:
 * SECONDS s". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REGIONS = 40, ITERATIONS = 64, SECTIONS = 3, UNIT = 300 };

static volatile double sink;

__attribute__((noinline)) static void work(long units)
{
    double value = 1;
    for (long i = 0; i < units * UNIT; i++)
        value = value * 1.0000001 + 1e-9;
    sink = value;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const long length = argc > 1 ? atol(argv[1]) : 0;
    const int locked = argc < 3;
    const double begin = MPI_Wtime();
    for (int region = 0; region < REGIONS; region++) {
#pragma omp parallel
        {
#pragma omp for schedule(runtime)
            for (int i = 0; i < ITERATIONS; i++)
                work(i);
            for (int i = 0; i < SECTIONS; i++) {
                work(100);
                if (locked) {
#pragma omp critical
                    work(length);
                } else {
                    work(length);
                }
            }
        }
        work(500);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("time: %.6f s\n", MPI_Wtime() - begin);
    MPI_Finalize();
}
