/* Receives whose requests are freed before anybody has seen them complete; for coverage. Any number
 * of processes: each talks to its neighbours in a ring. */
#include <mpi.h>

#define WORLD MPI_COMM_WORLD

enum { LENGTH = 20, ROUNDS = 3, LEFTWARDS = 1, RIGHTWARDS, LATER };

static int rank, size, left, right;
static int sent[LENGTH], received[3][LENGTH];

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void drop(int into, int source, int tag)
{
    MPI_Request request;
    MPI_Irecv(received[into], LENGTH, MPI_INT, source, tag, WORLD, &request);
    MPI_Request_free(&request);
}

/* Messages of two senders, with two tags, of which one is shorter than its buffer; and one from any
 * source that is there already. */
static void round_of_messages(void)
{
    drop(0, left, RIGHTWARDS);
    drop(1, right, LEFTWARDS);
    compute(100 * (rank + 1));
    MPI_Ssend(sent, LENGTH, MPI_INT, right, RIGHTWARDS, WORLD);
    MPI_Ssend(sent, LENGTH / 2, MPI_INT, left, LEFTWARDS, WORLD);
    MPI_Send(sent, LENGTH, MPI_INT, right, LATER, WORLD);
    MPI_Probe(left, LATER, WORLD, MPI_STATUS_IGNORE);
    drop(2, MPI_ANY_SOURCE, LATER);
    MPI_Barrier(WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int i = 0; i < ROUNDS; i++)
        round_of_messages();
    MPI_Finalize();
    return 0;
}
