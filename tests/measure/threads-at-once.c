/* For record-threads.sh, two processes with MPI_THREAD_MULTIPLE: THREADS threads, each on a
 * separate communicator, do at once what the tracer keeps tables of. Messages have as tag the
 * number of their bytes. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 60 };

static MPI_Comm comms[THREADS];
static int partner;

static void thread_messages(MPI_Comm comm, MPI_Datatype type)
{
    char in[32], out[32] = {0};
    int size;
    MPI_Request requests[2];
    MPI_Type_size(type, &size);
    MPI_Irecv(in, 1, type, partner, size, comm, &requests[0]);
    MPI_Isend(out, 1, type, partner, size, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Recv_init(in, 1, type, partner, size, comm, &requests[0]);
    MPI_Send_init(out, 1, type, partner, size, comm, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void matched_message(MPI_Comm comm)
{
    int in, out = 1;
    MPI_Request request;
    MPI_Message message;
    MPI_Isend(&out, 1, MPI_INT, partner, 4, comm, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void handles(MPI_Comm comm)
{
    int memory[2] = {0}, sum;
    MPI_Comm made;
    MPI_Win win;
    MPI_Request request;
    MPI_Comm_dup(comm, &made);
    MPI_Iallreduce(&memory[0], &sum, 1, MPI_INT, MPI_SUM, made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, made, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&sum, 1, MPI_INT, partner, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&made);
}

/* However busy the machine is: a synchronous send and its receive are in MPI at the same time. */
static void thread_barriers(MPI_Comm comm)
{
    for (int i = 1; i < THREADS; i++) {
        if (comm == comms[0])
            MPI_Recv(NULL, 0, MPI_CHAR, 1 - partner, 0, comms[i], MPI_STATUS_IGNORE);
        else if (comm == comms[i])
            MPI_Ssend(NULL, 0, MPI_CHAR, 1 - partner, 0, comm);
    }
}

static void *run_thread(void *argument)
{
    const MPI_Comm comm = *(MPI_Comm *)argument;
    thread_barriers(comm);
    const MPI_Datatype types[] = {MPI_CHAR,   MPI_DOUBLE_INT, MPI_INT,
                                  MPI_DOUBLE, MPI_FLOAT_INT,  MPI_SHORT};
    for (int round = 0; round < ROUNDS; round++) {
        thread_messages(comm, types[round % 6]);
        matched_message(comm);
        if (round % 6 == 0)
            handles(comm);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    partner = 1 - rank;
    if (provided < MPI_THREAD_MULTIPLE)
        fprintf(stderr, "no MPI_THREAD_MULTIPLE here\n");
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run_thread, &comms[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
