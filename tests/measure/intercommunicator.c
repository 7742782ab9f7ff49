/* Messages and collective operations between two groups of ranks, and a receive that is polled. */
#include <mpi.h>

#include <stdlib.h>

enum { MESSAGES = 4, NUMBERS = 5, POLLS = 1000 };

/* The message is sent when POLLS tests of the receiver have failed. */
static void poll_message(double *numbers, int source, MPI_Comm comm)
{
    MPI_Request request;
    int done;
    MPI_Irecv(numbers, NUMBERS, MPI_DOUBLE, source, 2, comm, &request);
    for (int i = 0; i < POLLS; i++)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Send(numbers, 1, MPI_DOUBLE, source, 3, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_polled(double *numbers, int dest, MPI_Comm comm)
{
    MPI_Recv(numbers, 1, MPI_DOUBLE, dest, 3, comm, MPI_STATUS_IGNORE);
    MPI_Send(numbers, NUMBERS, MPI_DOUBLE, dest, 2, comm);
}

int main(int argc, char **argv)
{
    double numbers[NUMBERS] = {0}, sum = 0;
    int rank, size, place, peers, root = 1;
    MPI_Comm half, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int odd = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 7, &both);
    MPI_Comm_remote_size(both, &peers);
    MPI_Comm_rank(both, &place);
    for (int i = 0; i < MESSAGES; i++) {
        if (place < peers && !odd)
            MPI_Send(numbers, NUMBERS, MPI_DOUBLE, place, 1, both);
        else if (place < peers)
            MPI_Recv(numbers, NUMBERS, MPI_DOUBLE, i % 2 ? MPI_ANY_SOURCE : place, 1, both,
                     MPI_STATUS_IGNORE);
        MPI_Barrier(both);
    }
    MPI_Allreduce(numbers, &sum, 1, MPI_DOUBLE, MPI_SUM, both);
    root = odd ? 0 : place == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(&sum, 1, MPI_DOUBLE, root, both);
    if (odd && place == 0)
        poll_message(numbers, 0, both);
    if (!odd && place == 0)
        send_polled(numbers, 0, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
