/* Persistent requests, and every way to wait for requests and to ask for them; for coverage. Any
 * number of processes: each talks to its neighbours in a ring. */
#include <mpi.h>

#include <stdlib.h>

#define WORLD MPI_COMM_WORLD

enum { LENGTH = 200, PENDING = 4 };

static int rank, size, left, right;
static int sent[LENGTH], received[PENDING][LENGTH];

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void persistent(void)
{
    static char space[4 * (LENGTH * sizeof(int) + MPI_BSEND_OVERHEAD)];
    MPI_Request requests[2 * PENDING];
    MPI_Status statuses[2 * PENDING];
    void *old;
    int old_size;
    MPI_Buffer_attach(space, sizeof space);
    for (int i = 0; i < PENDING; i++)
        MPI_Recv_init(received[i], LENGTH, MPI_INT, left, i, WORLD, &requests[i]);
    MPI_Send_init(sent, LENGTH, MPI_INT, right, 0, WORLD, &requests[PENDING]);
    MPI_Bsend_init(sent, LENGTH, MPI_INT, right, 1, WORLD, &requests[PENDING + 1]);
    MPI_Ssend_init(sent, LENGTH, MPI_INT, right, 2, WORLD, &requests[PENDING + 2]);
    MPI_Rsend_init(sent, LENGTH, MPI_INT, right, 3, WORLD, &requests[PENDING + 3]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(PENDING, requests);
        MPI_Barrier(WORLD); /* a ready send needs its receive */
        compute(200 * (rank + 1));
        for (int k = 0; k < PENDING; k++)
            MPI_Start(&requests[PENDING + k]);
        compute(300);
        MPI_Waitall(2 * PENDING, requests, statuses);
    }
    for (int i = 0; i < 2 * PENDING; i++)
        MPI_Request_free(&requests[i]);
    MPI_Buffer_detach(&old, &old_size);
}

static void begin(MPI_Request *requests)
{
    for (int i = 0; i < PENDING; i++)
        MPI_Irecv(received[i], LENGTH, MPI_INT, left, i, WORLD, &requests[i]);
    compute(100 * (rank + 1));
    MPI_Isend(sent, LENGTH, MPI_INT, right, 0, WORLD, &requests[PENDING]);
    MPI_Issend(sent, LENGTH, MPI_INT, right, 1, WORLD, &requests[PENDING + 1]);
    MPI_Isend(sent, LENGTH, MPI_INT, right, 2, WORLD, &requests[PENDING + 2]);
    MPI_Isend(sent, LENGTH, MPI_INT, right, 3, WORLD, &requests[PENDING + 3]);
}

static void waits(void)
{
    MPI_Request requests[2 * PENDING];
    MPI_Status statuses[2 * PENDING];
    int index, count, indices[2 * PENDING], flag = 0;
    begin(requests);
    for (int i = 0; i < 2 * PENDING; i++)
        MPI_Waitany(2 * PENDING, requests, &index, statuses);
    begin(requests);
    for (int done = 0; done < 2 * PENDING; done += count)
        MPI_Waitsome(2 * PENDING, requests, &count, indices, statuses);
    begin(requests);
    while (!flag)
        MPI_Testall(2 * PENDING, requests, &flag, statuses);
    begin(requests);
    for (int done = 0; done < 2 * PENDING; done += flag)
        MPI_Testany(2 * PENDING, requests, &index, &flag, statuses);
    begin(requests);
    for (int done = 0; done < 2 * PENDING; done += count)
        MPI_Testsome(2 * PENDING, requests, &count, indices, statuses);
    begin(requests);
    for (flag = 0; !flag;)
        MPI_Request_get_status(requests[0], &flag, statuses);
    MPI_Waitall(2 * PENDING, requests, statuses);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    persistent();
    waits();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
