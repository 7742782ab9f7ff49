/* Requests: completed, tested, started again, cancelled and freed in every way; for calls.sh. Two
 * processes. What completes when does not depend on timing: barriers stand where it could. */
#include <mpi.h>

#include <stdlib.h>

static int rank, other;
static int in[16], out[16];

static void send_tagged(MPI_Request *request, int tag)
{
    MPI_Isend(out, tag, MPI_INT, other, tag, MPI_COMM_WORLD, request);
}

static void receive_tagged(MPI_Request *request, int tag)
{
    MPI_Irecv(in, 16, MPI_INT, other, tag, MPI_COMM_WORLD, request);
}

static void one(void)
{
    MPI_Request request;
    int flag;
    receive_tagged(&request, 1);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE); /* fails: the other one sends after the barrier */
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* MPI_REQUEST_NULL */
}

static void all(void)
{
    MPI_Request requests[6];
    MPI_Status statuses[6];
    int flag;
    receive_tagged(&requests[0], 2);
    receive_tagged(&requests[1], 3);
    requests[2] = MPI_REQUEST_NULL;
    MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &requests[3]);
    MPI_Testall(2, requests, &flag, statuses);
    MPI_Barrier(MPI_COMM_WORLD);
    send_tagged(&requests[4], 2);
    send_tagged(&requests[5], 3);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(6, requests, statuses);
}

static void some(void)
{
    MPI_Request requests[2];
    int index, count, indices[2], flag;
    receive_tagged(&requests[0], 4);
    receive_tagged(&requests[1], 5);
    MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_INT, other, 5, MPI_COMM_WORLD);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_INT, other, 4, MPI_COMM_WORLD);
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

/* Sends that are complete at once share a handle in MPICH. */
static void many(void)
{
    MPI_Request requests[40];
    for (int i = 0; i < 20; i++) {
        MPI_Isend(out, 1, MPI_INT, i % 5 ? other : MPI_PROC_NULL, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Irecv(in, 1, MPI_INT, i % 5 ? other : MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &requests[20 + i]);
    }
    MPI_Waitall(40, requests, MPI_STATUSES_IGNORE);
}

static void persistent_requests(void)
{
    MPI_Request requests[3];
    MPI_Send_init(out, 2, MPI_INT, other, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, 16, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Ssend_init(out, 2, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); /* not started */
    for (int i = 0; i < 2; i++) {
        MPI_Startall(3, requests);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
}

static void given_up(void)
{
    MPI_Request request;
    receive_tagged(&request, 7);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    send_tagged(&request, 8);
    MPI_Request_free(&request);
    MPI_Recv(in, 16, MPI_INT, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive_tagged(&request, 9);
    MPI_Sendrecv(out, 9, MPI_INT, other, 9, in, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&request); /* too late */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Under way while recording is switched on, and off. PMPI_Barrier, which is not recorded: the
 * message must not arrive before. */
static void paused(void)
{
    MPI_Request request;
    MPI_Pcontrol(0);
    receive_tagged(&request, 1);
    MPI_Pcontrol(1);
    PMPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_tagged(&request, 1);
    MPI_Pcontrol(0);
    MPI_Send(out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    one();
    all();
    some();
    many();
    persistent_requests();
    given_up();
    paused();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
