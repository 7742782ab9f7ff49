/* stress SEED [any]: a random program of messages, the same for the same seed and number of
 * processes; for stress.sh. Each round every rank posts receives, among them persistent ones and
 * one for which nothing comes, computes, posts sends, and completes all of them in a random way:
 * waiting and testing for all, any and some of them, in loops of tests with and without computation
 * between, and cancelling. With `any` receives are from any source and with any tag. It never waits
 * in between for a later call of another rank, so it runs to its end however fast the ranks are. */
#include "silas/region.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 25, MESSAGES = 3, LONGEST = 3000, MOST = 256, CUT_TAG = 7, NOBODYS_TAG = 99 };

static int rank, size;
static char out[LONGEST], in[MOST][LONGEST];
static MPI_Request requests[MOST];
static int request_count;

/* Two sequences: one that all ranks share, and one of each rank's own. */
static unsigned long shared_state, own_state;

static int below(unsigned long *state, int limit)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (int)(*state >> 33) % limit;
}

static void spin(int microseconds)
{
    const double end = MPI_Wtime() + microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void compute(void)
{
    int microseconds = below(&own_state, 300);
    if (rank == 0) { /* a separate region, to be changed on this rank alone */
        SILAS_REGION_BEGIN("first");
        spin(microseconds);
        SILAS_REGION_END("first");
    } else {
        SILAS_REGION_BEGIN("work");
        spin(microseconds);
        SILAS_REGION_END("work");
    }
}

static void wait_any(void)
{
    int index;
    do
        MPI_Waitany(request_count, requests, &index, MPI_STATUS_IGNORE);
    while (index != MPI_UNDEFINED);
}

static void wait_some(void)
{
    int count, indices[MOST];
    do
        MPI_Waitsome(request_count, requests, &count, indices, MPI_STATUSES_IGNORE);
    while (count != MPI_UNDEFINED);
}

static void test_any(int pause)
{
    int index, flag;
    do {
        MPI_Testany(request_count, requests, &index, &flag, MPI_STATUS_IGNORE);
        spin(pause);
    } while (!flag || index != MPI_UNDEFINED);
}

static void test_some(int pause)
{
    int count, indices[MOST];
    do {
        MPI_Testsome(request_count, requests, &count, indices, MPI_STATUSES_IGNORE);
        spin(pause);
    } while (count != MPI_UNDEFINED);
}

static void test_all(int pause)
{
    int flag = 0;
    while (!flag) {
        MPI_Testall(request_count, requests, &flag, MPI_STATUSES_IGNORE);
        spin(pause);
    }
}

static void test_each(int pause)
{
    for (int i = 0; i < request_count; i++)
        for (int flag = 0; !flag; spin(pause))
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
}

static void complete_all(void)
{
    int pause = below(&own_state, 2) ? 5 : 50; /* within, beyond what counts as a loop of tests */
    switch (below(&own_state, 8)) {
    case 0:
        wait_any();
        break;
    case 1:
        wait_some();
        break;
    case 2:
        test_any(pause);
        break;
    case 3:
        test_some(pause);
        break;
    case 4:
        test_all(pause);
        break;
    case 5:
        test_each(pause);
        break;
    case 6:
        for (int i = 0; i < request_count; i++)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Waitall(request_count, requests, MPI_STATUSES_IGNORE);
    }
}

static int messages[64][64]; /* [from][to] */
static int persistent[MOST];

/* Tags are small, so that several messages share one. */
static int tag_of(int message)
{
    return message % 3 == 0 ? CUT_TAG : 1 + message % 2;
}

static void post_receive(int source, int message, int any)
{
    int from = any ? MPI_ANY_SOURCE : source, tag = any ? MPI_ANY_TAG : tag_of(message);
    MPI_Request *request = &requests[request_count];
    persistent[request_count] = below(&own_state, 4) == 0;
    if (persistent[request_count]) {
        MPI_Recv_init(in[request_count], LONGEST, MPI_CHAR, from, tag, MPI_COMM_WORLD, request);
        MPI_Start(request);
    } else {
        MPI_Irecv(in[request_count], LONGEST, MPI_CHAR, from, tag, MPI_COMM_WORLD, request);
    }
    request_count++;
}

static void post_send(int dest, int message)
{
    int length = below(&own_state, LONGEST), tag = tag_of(message);
    MPI_Request *request = &requests[request_count];
    persistent[request_count] = 0;
    switch (below(&own_state, 3)) {
    case 0:
        MPI_Issend(out, length, MPI_CHAR, dest, tag, MPI_COMM_WORLD, request);
        break;
    case 1:
        persistent[request_count] = 1;
        MPI_Send_init(out, length, MPI_CHAR, dest, tag, MPI_COMM_WORLD, request);
        MPI_Start(request);
        break;
    default:
        MPI_Isend(out, length, MPI_CHAR, dest, tag, MPI_COMM_WORLD, request);
    }
    request_count++;
}

static void cancel_one(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(in[MOST - 1], 10, MPI_CHAR, MPI_ANY_SOURCE, NOBODYS_TAG, MPI_COMM_WORLD, &request);
    compute();
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
}

/* Persistent requests stay where they are when they are complete: they are freed here. The calls
 * above do not see their handles vanish, so loops over them end by MPI_UNDEFINED all the same. */
static void free_persistent(MPI_Request *kept)
{
    for (int i = 0; i < request_count; i++)
        if (persistent[i])
            MPI_Request_free(&kept[i]);
}

static void play_round(int any)
{
    MPI_Request kept[MOST];
    request_count = 0;
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            messages[from][to] = from == to ? 0 : below(&shared_state, MESSAGES + 1);
    for (int from = 0; from < size; from++)
        for (int m = 0; m < messages[from][rank]; m++)
            post_receive(from, m, any);
    compute();
    for (int to = 0; to < size; to++)
        for (int m = 0; m < messages[rank][to]; m++) {
            post_send(to, m);
            if (below(&own_state, 3) == 0)
                compute();
        }
    memcpy(kept, requests, sizeof kept);
    complete_all();
    free_persistent(kept);
    if (!any && below(&own_state, 4) == 0)
        cancel_one();
    compute();
    if (any) /* or the next round's messages would be taken */
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    shared_state = strtoul(argc > 1 ? argv[1] : "1", NULL, 10) * 1000003;
    own_state = shared_state + (unsigned long)rank + 1;
    for (int round = 0; round < ROUNDS; round++)
        play_round(argc > 2 && strcmp(argv[2], "any") == 0);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
