/* COUNT rounds of a short computation and a call, to be traced and replayed unchanged:
 *
 *     mpiexec -np 2 short_intervals self|pair NS COUNT
 *
 * Computations spin for NS / 5 to NS nanoseconds. The call is a Sendrecv with the own rank (no
 * waiting) or with the other rank. */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4) {
        fprintf(stderr, "usage: mpiexec -np 2 short_intervals self|pair NS COUNT\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int peer = strcmp(argv[1], "pair") == 0 ? 1 - rank : rank;
    uint64_t longest = strtoull(argv[2], NULL, 10);
    long count = strtol(argv[3], NULL, 10);
    double out = 0, in;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 0; i < count; i++) {
        uint64_t end = now_ns() + longest * (uint64_t)(i % 5 + 1) / 5;
        while (now_ns() < end)
            ;
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, peer, 0, &in, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
