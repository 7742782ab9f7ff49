/* Partitioned messages, MPI_Isendrecv and MPI_Comm_idup_with_info of MPI 4; for coverage. Any
 * number of processes: each talks to its neighbours in a ring. */
#include <mpi.h>

#include <stdio.h>

#if MPI_VERSION < 4
int main(void)
{
    return 77; /* newer.sh skips what this MPI does not have */
}
#else

#define WORLD MPI_COMM_WORLD

enum { PARTS = 4, LENGTH = 100, ROUNDS = 3, TAG = 5 };

static int rank, size, left, right;
static int sent[PARTS * LENGTH], received[PARTS * LENGTH], plain[LENGTH];

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void require(int right_answer, const char *what)
{
    if (right_answer)
        return;
    fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
    MPI_Abort(WORLD, 1);
}

static void fill(int round)
{
    for (int i = 0; i < PARTS * LENGTH; i++) {
        sent[i] = 1000 * rank + round;
        received[i] = -1;
    }
}

static void get_ready(int round, MPI_Request request)
{
    int parts[PARTS] = {2, 0, 3, 1};
    if (round == 0) {
        for (int i = 0; i < PARTS; i++) {
            compute(50);
            MPI_Pready(i, request);
        }
    } else if (round == 1) {
        MPI_Pready_range(0, 1, request);
        compute(100);
        MPI_Pready_range(2, PARTS - 1, request);
    } else {
        MPI_Pready_list(PARTS, parts, request);
    }
}

/* An ordinary message with the same tag, between the same processes, while the others are open. */
static void overtake(void)
{
    MPI_Request request;
    MPI_Irecv(plain, LENGTH, MPI_INT, left, TAG, WORLD, &request);
    MPI_Send(sent, LENGTH / 2, MPI_INT, right, TAG, WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void partitioned(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Precv_init(received, PARTS, LENGTH, MPI_INT, left, TAG, WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(sent, PARTS, LENGTH, MPI_INT, right, TAG, WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < ROUNDS; round++) {
        int arrived = 0;
        fill(round);
        MPI_Start(&requests[0]);
        MPI_Start(&requests[1]);
        compute(100 * (rank + 1));
        overtake();
        get_ready(round, requests[1]);
        if (round == 1) {
            for (; !arrived; compute(5))
                MPI_Parrived(requests[0], PARTS - 1, &arrived);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        } else {
            MPI_Waitall(2, requests, statuses);
        }
        require(received[PARTS * LENGTH - 1] == 1000 * left + round, "a partitioned message");
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void both_ways(void)
{
    MPI_Request request;
    MPI_Status status;
    int done = 0, buffer = rank;
    compute(100 * (rank + 1));
    MPI_Isendrecv(&rank, 1, MPI_INT, right, 1, plain, 1, MPI_INT, left, 1, WORLD, &request);
    MPI_Wait(&request, &status);
    require(plain[0] == left, "what MPI_Isendrecv received");
    MPI_Isendrecv_replace(&buffer, 1, MPI_INT, right, 2, left, 2, WORLD, &request);
    for (; !done; compute(5))
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    require(buffer == left, "what MPI_Isendrecv_replace received");
    if (rank > 1) /* MPICH 4.0.2 crashes if both halves are to MPI_PROC_NULL */
        return;
    MPI_Isendrecv(&rank, 1, MPI_INT, rank == 0 ? right : MPI_PROC_NULL, 3, plain, 1, MPI_INT,
                  rank == 1 ? left : MPI_PROC_NULL, 3, WORLD, &request);
    MPI_Waitall(1, &request, &status);
}

static void communicator(void)
{
    MPI_Request request;
    MPI_Comm copy;
    MPI_Comm_idup_with_info(WORLD, MPI_INFO_NULL, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    partitioned();
    both_ways();
    communicator();
    MPI_Finalize();
    return 0;
}
#endif
