/* Calls with large counts (MPI_Send_c, ...) of MPI 4; for coverage. Any number of processes: each
 * talks to its neighbours in a ring. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION < 4
int main(void)
{
    return 77; /* newer.sh skips what this MPI does not have */
}
#else

#define WORLD MPI_COMM_WORLD

enum { LENGTH = 50, MOST = 64 };

static int rank, size, left, right;
static int sent[LENGTH * MOST], received[LENGTH * MOST];
static MPI_Count counts[MOST];
static MPI_Aint displacements[MOST], bytes[MOST];
static MPI_Datatype types[MOST];

static void prepare(void)
{
    for (int i = 0; i < MOST; i++) {
        counts[i] = LENGTH;
        displacements[i] = LENGTH * i;
        bytes[i] = LENGTH * i * (MPI_Aint)sizeof(int);
        types[i] = MPI_INT;
    }
    for (int i = 0; i < LENGTH * MOST; i++)
        sent[i] = rank;
}

static void require(int right_answer, const char *what)
{
    if (right_answer)
        return;
    fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
    MPI_Abort(WORLD, 1);
}

static void messages(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Message message;
    MPI_Status status;
    MPI_Count count;
    MPI_Irecv_c(received, LENGTH, MPI_INT, left, 0, WORLD, &requests[0]);
    MPI_Send_c(sent, LENGTH, MPI_INT, right, 0, WORLD);
    MPI_Wait(&requests[0], &status);
    MPI_Get_count_c(&status, MPI_INT, &count);
    require(count == LENGTH && received[LENGTH - 1] == left, "what MPI_Irecv_c received");
    MPI_Isend_c(sent, LENGTH, MPI_INT, right, 1, WORLD, &requests[0]);
    MPI_Recv_c(received, 2 * LENGTH, MPI_INT, left, 1, WORLD, &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(sent, LENGTH, MPI_INT, right, 2, received, LENGTH, MPI_INT, left, 2, WORLD,
                   MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace_c(received, LENGTH, MPI_INT, right, 3, left, 3, WORLD, MPI_STATUS_IGNORE);
    MPI_Isend_c(sent, LENGTH, MPI_INT, right, 4, WORLD, &requests[0]);
    MPI_Mprobe(left, 4, WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv_c(received, LENGTH, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isendrecv_c(sent, LENGTH, MPI_INT, right, 5, received, LENGTH, MPI_INT, left, 5, WORLD,
                    &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Send_init_c(sent, LENGTH, MPI_INT, right, 6, WORLD, &requests[0]);
    MPI_Recv_init_c(received, LENGTH, MPI_INT, left, 6, WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void collectives(void)
{
    MPI_Request request;
    MPI_Bcast_c(received, LENGTH, MPI_INT, 0, WORLD);
    MPI_Gatherv_c(sent, LENGTH, MPI_INT, received, counts, displacements, MPI_INT, 0, WORLD);
    MPI_Alltoallv_c(sent, counts, displacements, MPI_INT, received, counts, displacements, MPI_INT,
                    WORLD);
    MPI_Alltoallw_c(sent, counts, bytes, types, received, counts, bytes, types, WORLD);
    MPI_Reduce_scatter_c(sent, received, counts, MPI_INT, MPI_SUM, WORLD);
    MPI_Allreduce_c(sent, received, LENGTH, MPI_INT, MPI_SUM, WORLD);
    require(received[0] == size * (size - 1) / 2, "the sum");
    MPI_Iallgatherv_c(sent, LENGTH, MPI_INT, received, counts, displacements, MPI_INT, WORLD,
                      &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce_c(sent, received, LENGTH, MPI_INT, MPI_SUM, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void one_sided(void)
{
    MPI_Win window;
    MPI_Win_create_c(received, sizeof received, sizeof *received, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put_c(sent, LENGTH, MPI_INT, right, 0, LENGTH, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate_c(sent, LENGTH, MPI_INT, right, LENGTH, LENGTH, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Get_c(sent, LENGTH, MPI_INT, right, 0, LENGTH, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    prepare();
    messages();
    collectives();
    one_sided();
    MPI_Finalize();
    return 0;
}
#endif
