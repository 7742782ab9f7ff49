/* One thread completes what another began (MPI_THREAD_SERIALIZED): requests, a nonblocking barrier,
 * matched messages; for coverage. Ranks in pairs; the threads take turns by being created and
 * joined. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#define WORLD MPI_COMM_WORLD

static int rank, partner;
static int in[100], out[100];
static MPI_Request requests[2], barrier;
static MPI_Message messages[2];

static void *complete(void *unused)
{
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Ibarrier(WORLD, &barrier);
    return unused;
}

static void *receive(void *unused)
{
    MPI_Request request;
    MPI_Mrecv(in, 100, MPI_INT, &messages[1], MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 100, MPI_INT, &messages[0], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return unused;
}

static void in_a_thread(void *(*function)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, NULL) != 0)
        MPI_Abort(WORLD, 3);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(WORLD, &rank);
    partner = rank ^ 1;
    for (int round = 0; round < 5; round++) {
        MPI_Irecv(in, 100, MPI_INT, partner, 1, WORLD, &requests[0]);
        MPI_Isend(out, 10 + round, MPI_INT, partner, 1, WORLD, &requests[1]);
        in_a_thread(complete);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        MPI_Send(out, 20, MPI_INT, partner, 2, WORLD);
        MPI_Send(out, 30, MPI_INT, partner, 2, WORLD);
        MPI_Mprobe(partner, 2, WORLD, &messages[0], MPI_STATUS_IGNORE);
        MPI_Mprobe(partner, 2, WORLD, &messages[1], MPI_STATUS_IGNORE);
        in_a_thread(receive);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
