/* Calls whose arguments are wrong, with MPI_ERRORS_RETURN: they communicate nothing. Later
 * calls are recorded as usual. For calls.sh. Two processes. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { NOBODY = 99 };

static int rank, other;
static int data[64];

static void check_call_refused(int result, const char *call)
{
    if (result != MPI_SUCCESS)
        return;
    fprintf(stderr, "%s should have been refused\n", call);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define REFUSED(call) check_call_refused(call, #call)

static void refused_messages(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    REFUSED(MPI_Send(data, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD));
    REFUSED(MPI_Ssend(data, 1, MPI_INT, other, -9, MPI_COMM_WORLD));
    REFUSED(MPI_Recv(data, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    REFUSED(MPI_Sendrecv(data, 1, MPI_INT, other, 1, data, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE));
    REFUSED(MPI_Isend(data, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD, &request));
    REFUSED(MPI_Irecv(data, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD, &request));
    REFUSED(MPI_Send_init(data, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD, &request));
}

static void refused_collectives(void)
{
    MPI_Request request;
    MPI_Comm world = MPI_COMM_WORLD;
    REFUSED(MPI_Bcast(data, 1, MPI_INT, NOBODY, MPI_COMM_WORLD));
    REFUSED(MPI_Allreduce(data, data + 1, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    REFUSED(MPI_Ibcast(data, 1, MPI_INT, NOBODY, MPI_COMM_WORLD, &request));
    REFUSED(MPI_Comm_free(&world));
}

/* A window that MPI refuses to free is still there. */
static void refused_window(void)
{
    MPI_Win win;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    REFUSED(MPI_Win_free(&win));
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
}

/* One that is too long for its buffer has been sent and has arrived. */
static void truncated_message(void)
{
    if (rank == 0)
        MPI_Send(data, 8, MPI_INT, other, 2, MPI_COMM_WORLD);
    else
        REFUSED(MPI_Recv(data, 2, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* The rank whose buffer is too short gets MPI_ERR_TRUNCATE, and its partner MPI_ERR_OTHER. Both
 * have communicated. */
static void truncated_collective(void)
{
    const int expected = rank == 0 ? MPI_ERR_OTHER : MPI_ERR_TRUNCATE;
    int class,
        result = MPI_Scan(data, data + 32, rank == 0 ? 8 : 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Error_class(result, &class);
    if (class == expected)
        return;
    fprintf(stderr, "MPI_Scan returned class %d instead of %d\n", class, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    refused_messages();
    refused_collectives();
    truncated_message();
    truncated_collective();
    refused_window();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
