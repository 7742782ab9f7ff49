/* A program that polls: rank 0 sends a message some time after rank 1 has begun to ask for it, once
 * for each call that tests or probes, and for a loop of two. Rank 1 prints each call's name and how
 * often it was made. bench/measure/polls and tests/measure/polls.sh run it.
 *
 * Arguments: milliseconds until each message is sent (default 20); "hang": the messages after the
 * first never come. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 7 };

/* What is asked for: a request, or a message. */
struct asked {
    MPI_Request request;
    int buffer;
};

static int ask_test(struct asked *asked)
{
    int flag;
    MPI_Test(&asked->request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static int ask_testall(struct asked *asked)
{
    int flag;
    MPI_Status status;
    MPI_Testall(1, &asked->request, &flag, &status);
    return flag;
}

static int ask_testany(struct asked *asked)
{
    int flag, index;
    MPI_Testany(1, &asked->request, &index, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static int ask_testsome(struct asked *asked)
{
    int count, index;
    MPI_Status status;
    MPI_Testsome(1, &asked->request, &count, &index, &status);
    return count > 0;
}

static int ask_status(struct asked *asked)
{
    int flag;
    MPI_Request_get_status(asked->request, &flag, MPI_STATUS_IGNORE);
    if (flag)
        MPI_Wait(&asked->request, MPI_STATUS_IGNORE);
    return flag;
}

static int ask_iprobe(struct asked *asked)
{
    int flag;
    MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (flag)
        MPI_Recv(&asked->buffer, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return flag;
}

static int ask_improbe(struct asked *asked)
{
    int flag;
    MPI_Message message;
    MPI_Improbe(0, TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    if (flag)
        MPI_Mrecv(&asked->buffer, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    return flag;
}

/* A loop of several calls, as in hypre: another message is asked for, which never comes. */
static int ask_several(struct asked *asked)
{
    int flag;
    MPI_Iprobe(0, TAG + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return ask_testall(asked);
}

static const struct {
    const char *name;
    bool probes;
    int (*ask)(struct asked *asked);
} calls[] = {
    {"MPI_Test", false, ask_test},
    {"MPI_Testall", false, ask_testall},
    {"MPI_Testany", false, ask_testany},
    {"MPI_Testsome", false, ask_testsome},
    {"MPI_Iprobe", true, ask_iprobe},
    {"MPI_Improbe", true, ask_improbe},
    {"MPI_Request_get_status", false, ask_status},
    {"MPI_Iprobe MPI_Testall", false, ask_several},
};

enum { CALLS = sizeof calls / sizeof calls[0] };

static void send_late(double seconds)
{
    const int value = 1;
    for (double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;)
        ;
    MPI_Send(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
}

static void poll_until_late(int call)
{
    struct asked asked = {.request = MPI_REQUEST_NULL};
    long count = 1;
    if (!calls[call].probes)
        MPI_Irecv(&asked.buffer, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &asked.request);
    while (!calls[call].ask(&asked))
        count++;
    const char *name = calls[call].name, *second = strchr(name, ' ');
    if (second)
        printf("%.*s %ld\n", (int)(second - name), name, count);
    printf("%s %ld\n", second ? second + 1 : name, count);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank;
    const bool hang = argc > 1 && strcmp(argv[1], "hang") == 0;
    const double seconds = argc > 1 && !hang ? atof(argv[1]) * 1e-3 : 20e-3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double begin = MPI_Wtime();
    for (int call = 0; call < CALLS; call++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0 && call > 0 && hang)
            MPI_Recv(NULL, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank == 0)
            send_late(seconds);
        else if (rank == 1)
            poll_until_late(call);
    }
    if (rank == 0)
        printf("time: %.9f s\n", MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
