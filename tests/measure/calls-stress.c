/* Rounds of random messages between two processes, sent, received and completed in random ways, on
 * several communicators; for calls-stress.sh, which checks that the records of sender and receiver
 * agree. The program checks its data itself: the wrappers must not change what MPI does. Argument:
 * seed. */
#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 300, MOST = 12, LARGEST = 100000 };

static int rank;
static uint32_t state;

/* The same numbers on both processes. */
static int stress_random(int bound)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)bound);
}

/* Between tests: polling without a pause would fill the disk with records. */
static void pause_polling(void)
{
    nanosleep(&(struct timespec){0, 50000}, NULL);
}

struct comm_peer {
    MPI_Comm comm;
    int peer; /* the other process's rank in it */
};

/* One message of a round, as both sides see it. */
struct stress_message {
    int sender, tag, bytes, line, kind;
    char *data;
};

static void abort_with(const char *what)
{
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void start_send(const struct stress_message *message, const struct comm_peer *line,
                       MPI_Request *request)
{
    switch (message->kind) {
    case 0:
        MPI_Isend(message->data, message->bytes, MPI_BYTE, line->peer, message->tag, line->comm,
                  request);
        break;
    case 1:
        MPI_Issend(message->data, message->bytes, MPI_BYTE, line->peer, message->tag, line->comm,
                   request);
        break;
    default:
        MPI_Send_init(message->data, message->bytes, MPI_BYTE, line->peer, message->tag, line->comm,
                      request);
        MPI_Start(request);
    }
}

static void start_receive(const struct stress_message *message, const struct comm_peer *line,
                          bool any, MPI_Request *request)
{
    const int source = any ? MPI_ANY_SOURCE : line->peer;
    if (message->kind == 3) {
        MPI_Recv_init(message->data, LARGEST, MPI_BYTE, source, message->tag, line->comm, request);
        MPI_Start(request);
    } else {
        MPI_Irecv(message->data, LARGEST, MPI_BYTE, source, message->tag, line->comm, request);
    }
}

static void complete_by_any(int count, MPI_Request *requests, bool test)
{
    int done = 0, index, flag = 1;
    while (done < count) {
        if (test)
            MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
        else
            MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        if (flag && index == MPI_UNDEFINED)
            return; /* persistent ones stay in the array and become inactive */
        if (!flag)
            pause_polling();
        done += flag;
    }
}

static void complete_by_some(int count, MPI_Request *requests, bool test)
{
    int done = 0, indices[2 * MOST];
    while (done != MPI_UNDEFINED) {
        if (test)
            MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        else
            MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        if (done == 0)
            pause_polling();
    }
}

static void complete_requests(int how, int count, MPI_Request *requests)
{
    MPI_Status statuses[2 * MOST];
    int flag = 0;
    switch (how) {
    case 0:
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = count - 1; i >= 0; i--)
            MPI_Wait(&requests[i], statuses);
        break;
    case 2:
        for (; !flag; pause_polling())
            MPI_Testall(count, requests, &flag, statuses);
        break;
    case 3:
        for (int i = 0; i < count; i++)
            for (flag = 0; !flag; pause_polling())
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        break;
    case 4:
    case 5:
        complete_by_any(count, requests, how == 5);
        break;
    default:
        complete_by_some(count, requests, how == 7);
    }
}

static void stress_round(const struct comm_peer *lines, int line_count, char buffers[][LARGEST])
{
    struct stress_message messages[MOST];
    MPI_Request requests[MOST];
    const int count = 1 + stress_random(MOST), how = stress_random(8);
    for (int i = 0; i < count; i++) {
        messages[i] =
            (struct stress_message){stress_random(2),
                                    i,
                                    stress_random(3) ? stress_random(200) : stress_random(LARGEST),
                                    stress_random(line_count),
                                    stress_random(4),
                                    buffers[i]};
        const bool any = stress_random(2);
        const struct comm_peer *line = &lines[messages[i].line];
        memset(buffers[i], messages[i].sender == rank ? i + 1 : 0, LARGEST);
        if (messages[i].sender == rank)
            start_send(&messages[i], line, &requests[i]);
        else
            start_receive(&messages[i], line, any, &requests[i]);
    }
    complete_requests(how, count, requests);
    for (int i = 0; i < count; i++) {
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
        for (int b = 0; b < messages[i].bytes; b++)
            if (buffers[i][b] != i + 1)
                abort_with("wrong data");
    }
}

int main(int argc, char **argv)
{
    static char buffers[MOST][LARGEST];
    struct comm_peer lines[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state = (uint32_t)atoi(argv[1]);
    lines[0] = (struct comm_peer){MPI_COMM_WORLD, 1 - rank};
    lines[1].peer = 1 - rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &lines[1].comm);
    lines[2].peer = rank; /* in reversed order */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &lines[2].comm);
    lines[3].peer = 0;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &lines[3].comm);
    for (int i = 0; i < ROUNDS; i++) {
        stress_round(lines, 4, buffers);
        if (i % 50 == 0)
            MPI_Barrier(lines[stress_random(3)].comm);
    }
    for (int i = 1; i < 4; i++)
        MPI_Comm_free(&lines[i].comm);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
