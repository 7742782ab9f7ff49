/* For record-threads.sh, two processes: ROUNDS messages there and back, sent by the main thread and
 * by another in turn (MPI_THREAD_SERIALIZED). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn; /* 0: the main thread, 1: the other */
static int rank;

static void record_one_turn(int thread)
{
    for (int round = 0; round < ROUNDS; round++) {
        int data = round;
        pthread_mutex_lock(&mutex);
        while (turn != thread)
            pthread_cond_wait(&changed, &mutex);
        if (rank == 0)
            MPI_Send(&data, 1, MPI_INT, 1, thread, MPI_COMM_WORLD);
        else
            MPI_Recv(&data, 1, MPI_INT, 0, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        turn = 1 - turn;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
}

static void *other_thread(void *unused)
{
    record_one_turn(1);
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < MPI_THREAD_SERIALIZED)
        fprintf(stderr, "no MPI_THREAD_SERIALIZED here\n");
    else if (pthread_create(&thread, NULL, other_thread, NULL) == 0) {
        record_one_turn(0);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
