/* For polling.sh, two processes: rank 1 polls for messages that rank 0 sends late, by MPI_Test, by
 * rounds of MPI_Iprobe and MPI_Testall, and by MPI_Improbe, and prints how often. With "forever"
 * the last loop does not end. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LATE_US = 30000 };

static void send_late(int tag)
{
    int x = 0;
    usleep(LATE_US);
    MPI_Send(&x, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
}

static void poll_all(void)
{
    int x = 0, flag;
    long tests = 0, probes = 0, testalls = 0, matched = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    MPI_Irecv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    do {
        MPI_Test(&request, &flag, &status);
        tests++;
    } while (!flag);
    MPI_Irecv(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    do {
        int found;
        MPI_Iprobe(0, 99, MPI_COMM_WORLD, &found, &status);
        MPI_Testall(1, &request, &flag, &status);
        probes++;
        testalls++;
    } while (!flag);
    do {
        MPI_Improbe(0, 3, MPI_COMM_WORLD, &flag, &message, &status);
        matched++;
    } while (!flag);
    MPI_Mrecv(&x, 1, MPI_INT, &message, &status);
    printf("MPI_Test %ld\nMPI_Iprobe %ld\nMPI_Testall %ld\nMPI_Improbe %ld\n", tests, probes,
           testalls, matched);
}

int main(int argc, char **argv)
{
    int rank, flag;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        for (int tag = 1; tag <= 3; tag++)
            send_late(tag);
    else
        poll_all();
    MPI_Barrier(MPI_COMM_WORLD);
    while (argc > 1 && strcmp(argv[1], "forever") == 0)
        MPI_Iprobe(1 - rank, 5, MPI_COMM_WORLD, &flag, &status);
    MPI_Finalize();
    return 0;
}
