/* Probes, matched probes and cancelled operations; for coverage. Ranks in pairs; a last one without
 * a partner is alone. */
#include <mpi.h>

#include <stdlib.h>

#define WORLD MPI_COMM_WORLD

static int rank, size, partner;
static int numbers[1000];

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void receiver(void)
{
    MPI_Message message, several[2];
    MPI_Status status;
    MPI_Request request;
    int flag = 0;
    MPI_Mprobe(partner, 1, WORLD, &message, &status);
    MPI_Mrecv(numbers, 1000, MPI_INT, &message, &status);
    while (!flag) /* polls now and then */
        MPI_Improbe(partner, MPI_ANY_TAG, WORLD, &flag, &message, &status);
    MPI_Imrecv(numbers, 1000, MPI_INT, &message, &request);
    compute(100);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(partner, 3, WORLD, &several[0], &status); /* two at a time, the last one first */
    MPI_Mprobe(partner, 3, WORLD, &several[1], &status);
    MPI_Mrecv(numbers, 1000, MPI_INT, &several[1], &status);
    MPI_Mrecv(numbers, 1000, MPI_INT, &several[0], &status);
    MPI_Probe(MPI_ANY_SOURCE, 4, WORLD, &status);
    MPI_Recv(numbers, 1000, MPI_INT, status.MPI_SOURCE, 4, WORLD, &status);
    for (flag = 0; !flag;)
        MPI_Iprobe(partner, 5, WORLD, &flag, &status);
    MPI_Recv(numbers, 1000, MPI_INT, partner, 5, WORLD, &status);
}

static void sender(void)
{
    for (int tag = 1; tag <= 5; tag++) {
        compute(300);
        MPI_Send(numbers, 100 * tag, MPI_INT, partner, tag, WORLD);
        if (tag == 3)
            MPI_Send(numbers, 7, MPI_INT, partner, tag, WORLD);
    }
}

/* A receive without a message, and one whose message has arrived. */
static void cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag;
    MPI_Irecv(numbers, 10, MPI_INT, MPI_ANY_SOURCE, 99, WORLD, &request);
    compute(100);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    if (!flag)
        MPI_Abort(WORLD, 3);
    MPI_Isend(numbers, 10, MPI_INT, rank, 98, WORLD, &request);
    MPI_Recv(numbers + 10, 10, MPI_INT, rank, 98, WORLD, &status);
    MPI_Wait(&request, &status);
    MPI_Irecv(numbers, 10, MPI_INT, rank, 97, WORLD, &request);
    MPI_Request_free(&request);
    MPI_Send(numbers, 10, MPI_INT, rank, 97, WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    partner = rank ^ 1;
    if (partner < size && rank % 2)
        receiver();
    else if (partner < size)
        sender();
    cancelled();
    MPI_Barrier(WORLD);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
