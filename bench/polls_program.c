/* For bench/polls, two processes: rank 1 polls for late messages and prints how many calls it has
 * made, and what one in vain takes. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { LATE_US = 100000, MESSAGES = 3, TIMED = 20000 };

static long calls;

static double timed_tests(MPI_Request *request, int probes)
{
    int flag;
    double begin = MPI_Wtime();
    for (int i = 0; i < TIMED; i++) {
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        if (probes)
            MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    calls += TIMED * (1 + probes);
    return (MPI_Wtime() - begin) / TIMED * 1e9;
}

int main(int argc, char **argv)
{
    int rank, x = 0, flag = 0;
    double test = 0, both = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Request request;
        if (rank == 0) {
            usleep(LATE_US);
            MPI_Send(&x, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
            continue;
        }
        MPI_Irecv(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request);
        test = timed_tests(&request, 0);
        both = timed_tests(&request, 1);
        for (flag = 0; !flag; calls++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    if (rank == 1)
        printf("calls: %ld\ntest: %.1f\ntest and Iprobe: %.1f\n", calls, test, both);
    MPI_Finalize();
    return 0;
}
