/* Communication that crosses MPI_Pcontrol: paused MODE, on two ranks. */
#include <mpi.h>

#include <string.h>
#include <unistd.h>

enum { TAG = 5 };

static int rank, other, data[2];

/* A receive is posted while recording is paused; its message is sent 200 ms after that. */
static void receive_posted_before(void)
{
    MPI_Request request;
    MPI_Pcontrol(0);
    if (rank == 1)
        MPI_Irecv(data, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
    MPI_Pcontrol(1);
    PMPI_Barrier(MPI_COMM_WORLD); /* not recorded: rank 1 has resumed */
    if (rank == 0) {
        usleep(200000);
        MPI_Send(data, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Messages with wildcards are posted while recording is on, and completed while it is paused. */
static void completed_while_paused(void)
{
    MPI_Request requests[2];
    MPI_Irecv(&data[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&data[1], 1, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Pcontrol(0);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
}

/* One rank pauses while it sends and waits in a barrier, the other one does not. */
static void one_rank_pauses(void)
{
    if (rank == 0) {
        MPI_Pcontrol(0);
        MPI_Send(data, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
}

static void collectives(void)
{
    MPI_Request begun, paused;
    MPI_Ibarrier(MPI_COMM_WORLD, &begun);
    MPI_Pcontrol(0);
    MPI_Wait(&begun, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &paused);
    MPI_Pcontrol(1);
    MPI_Wait(&paused, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Request requests[2];
    MPI_Pcontrol(0);
    MPI_Recv_init(&data[0], 1, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&data[1], 1, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Pcontrol(1);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        if (i == 1)
            MPI_Pcontrol(0);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Pcontrol(1);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void epochs(void)
{
    MPI_Win window;
    MPI_Group all, group;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 1, 1, MPI_INT, window);
    MPI_Pcontrol(0);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 1, 1, MPI_INT, window);
    MPI_Pcontrol(1);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 1, 1, MPI_INT, window);
    MPI_Pcontrol(0);
    MPI_Win_unlock(other, window);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    MPI_Pcontrol(1);
    MPI_Win_unlock(other, window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 1, 1, MPI_INT, window);
    MPI_Pcontrol(0);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    MPI_Pcontrol(1);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_free(&window);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

/* Communicators and a window that are made while recording is paused, and used afterwards. */
static void made_while_paused(void)
{
    MPI_Comm comm;
    MPI_Win window;
    MPI_Pcontrol(0);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, comm, &window);
    MPI_Pcontrol(1);
    MPI_Sendrecv(&data[0], 1, MPI_INT, rank, TAG, &data[1], 1, MPI_INT, rank, TAG, comm,
                 MPI_STATUS_IGNORE);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    MPI_Barrier(comm);
    MPI_Win_free(&window);
    MPI_Comm_free(&comm);
}

static void off_at_the_end(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"receive_posted_before", receive_posted_before},
                 {"completed_while_paused", completed_while_paused},
                 {"one_rank_pauses", one_rank_pauses},
                 {"collectives", collectives},
                 {"persistent", persistent},
                 {"epochs", epochs},
                 {"made_while_paused", made_while_paused},
                 {"off_at_the_end", off_at_the_end}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
