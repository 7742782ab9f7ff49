/* Blocking messages in all their kinds, for calls.sh. Two processes. */
#include <mpi.h>

#include <stdlib.h>

static int rank, other;
static int data[64];

static void kinds_of_send(void)
{
    static char attached[4096];
    void *detached;
    int size;
    if (rank == 0) {
        MPI_Send(data, 3, MPI_INT, other, 1, MPI_COMM_WORLD);
        MPI_Ssend(data, 1, MPI_DOUBLE, other, 2, MPI_COMM_WORLD);
        MPI_Buffer_attach(attached, sizeof attached);
        MPI_Bsend(data, 0, MPI_INT, other, 3, MPI_COMM_WORLD);
        MPI_Buffer_detach(&detached, &size);
        MPI_Recv(data, 0, MPI_BYTE, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(data, 5, MPI_CHAR, other, 4, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        MPI_Request ready;
        MPI_Recv(data, 64, MPI_INT, other, 1, MPI_COMM_WORLD, &status);
        MPI_Recv(data, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data, 64, MPI_INT, other, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 64, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &ready);
        MPI_Send(data, 0, MPI_BYTE, other, 9, MPI_COMM_WORLD);
        MPI_Wait(&ready, MPI_STATUS_IGNORE);
    }
}

static void nothing_to_null(void)
{
    MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, 1, MPI_INT, rank ? other : MPI_PROC_NULL, 2, data + 8, 1, MPI_INT,
                 rank ? MPI_PROC_NULL : other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchanged_messages(void)
{
    MPI_Status status;
    MPI_Sendrecv(data, 2 + rank, MPI_INT, other, 5, data + 8, 20, MPI_CHAR, other, 5,
                 MPI_COMM_WORLD, &status);
    MPI_Sendrecv_replace(data, 4, MPI_INT, other, 10 + rank, other, MPI_ANY_TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

/* Two of four integers, twice. */
static void derived_type(void)
{
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(data, 2, type, other, 6, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 4, MPI_INT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

static void probes(void)
{
    if (rank == 0) {
        for (int tag = 20; tag < 23; tag++)
            MPI_Send(data, tag, MPI_CHAR, other, tag, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        MPI_Message message;
        MPI_Request request;
        int flag;
        MPI_Probe(other, 20, MPI_COMM_WORLD, &status);
        MPI_Recv(data, 64, MPI_CHAR, status.MPI_SOURCE, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(data, 64, MPI_CHAR, &message, MPI_STATUS_IGNORE);
        MPI_Probe(other, 22, MPI_COMM_WORLD, &status);
        MPI_Improbe(other, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
        MPI_Imrecv(data, 64, MPI_CHAR, &message, &request);
        MPI_Wait(&request, &status);
        MPI_Improbe(other, 23, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_PROC_NULL, 23, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, 64, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    }
}

/* Twelve bytes for a buffer of four: an error, but the messages have been received. */
static void too_long(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        for (int tag = 30; tag <= 34; tag++)
            MPI_Send(data, 3, MPI_INT, other, tag, MPI_COMM_WORLD);
    } else {
        MPI_Request requests[2];
        MPI_Message message;
        int index;
        MPI_Recv(data, 1, MPI_INT, other, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(other, 31, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 1, MPI_INT, other, 32, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Irecv(data, 1, MPI_INT, other, 33, MPI_COMM_WORLD, &requests[0]);
        MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 1, MPI_INT, other, 34, MPI_COMM_WORLD, &requests[0]);
        requests[1] = MPI_REQUEST_NULL;
#ifdef OPEN_MPI /* its MPI_Waitall (4.1.4) never returns, also without the tracer */
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#else
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void paused(void)
{
    MPI_Pcontrol(0);
    MPI_Sendrecv_replace(data, 4, MPI_INT, other, 1, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    kinds_of_send();
    nothing_to_null();
    exchanged_messages();
    derived_type();
    probes();
    too_long();
    paused();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
