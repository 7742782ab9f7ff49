/* Requests of all kinds in one array, inactive ones, freed ones, cancelled ones, and requests that
 * the program completes itself. */
#include "tests/chapters/chapter.h"

enum { LENGTH = 64 };

static int data[LENGTH], taken[4][LENGTH];
static int queried, freed, cancelled;

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    queried++;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 77;
    status->MPI_TAG = 88;
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    (void)extra;
    freed++;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    cancelled += !complete;
    return MPI_SUCCESS;
}

static void of_the_program(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int count, flag;
    MPI_Grequest_start(query, release, cancel, NULL, &requests[0]);
    MPI_Irecv(taken[0], LENGTH, MPI_INT, left, 0, WORLD, &requests[1]);
    MPI_Isend(data, LENGTH, MPI_INT, right, 0, WORLD, &requests[2]);
    MPI_Ibarrier(WORLD, &requests[3]);
    MPI_Test(&requests[0], &flag, &statuses[0]);
    EXPECT(!flag);
    compute(200 * (rank + 1));
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(4, requests, statuses);
    EXPECT(queried >= 1 && freed == 1);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    EXPECT(count == 3 && statuses[0].MPI_SOURCE == 77 && statuses[0].MPI_TAG == 88);
    EXPECT(statuses[1].MPI_SOURCE == left);
    MPI_Grequest_start(query, release, cancel, NULL, &requests[0]);
    MPI_Cancel(&requests[0]);
    EXPECT(cancelled == 1);
    MPI_Grequest_complete(requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT(freed == 2);
}

static void inactive(void)
{
    MPI_Request requests[5] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                               MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[5];
    int index, flag, count, indices[5];
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    MPI_Waitany(5, requests, &index, statuses);
    EXPECT(index == MPI_UNDEFINED);
    MPI_Testany(5, requests, &index, &flag, statuses);
    EXPECT(flag && index == MPI_UNDEFINED);
    MPI_Waitsome(5, requests, &count, indices, statuses);
    EXPECT(count == MPI_UNDEFINED);
    MPI_Wait(&requests[0], &statuses[0]);
    EXPECT(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Recv_init(taken[1], LENGTH, MPI_INT, left, 1, WORLD, &requests[1]);
    MPI_Send_init(data, LENGTH, MPI_INT, right, 1, WORLD, &requests[3]);
    MPI_Wait(&requests[1], &statuses[1]); /* not started: at once */
    MPI_Testall(5, requests, &flag, statuses);
    EXPECT(flag);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&requests[3]);
        MPI_Start(&requests[1]);
        for (int open = 2; open > 0; open -= count)
            MPI_Waitsome(5, requests, &count, indices, statuses);
    }
    MPI_Request_free(&requests[1]);
    MPI_Request_free(&requests[3]);
}

static void freed_and_cancelled(void)
{
    MPI_Request request, other;
    MPI_Status status;
    int flag, token = 1;
    /* A send whose request no call waits for. */
    MPI_Isend(data, LENGTH, MPI_INT, right, 2, WORLD, &request);
    MPI_Request_free(&request);
    EXPECT(request == MPI_REQUEST_NULL);
    MPI_Recv(taken[0], LENGTH, MPI_INT, left, 2, WORLD, &status);
    /* A receive that never gets anything. */
    MPI_Irecv(taken[1], LENGTH, MPI_INT, left, 3, WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT(flag);
    /* A receive that is freed while it is under way; the answer to it says that it has come. */
    MPI_Irecv(taken[2], LENGTH, MPI_INT, left, 4, WORLD, &request);
    MPI_Request_free(&request);
    data[0] = rank;
    MPI_Ssend(data, LENGTH, MPI_INT, right, 4, WORLD);
    MPI_Sendrecv(&token, 1, MPI_INT, right, 5, &token, 1, MPI_INT, left, 5, WORLD, &status);
    /* A persistent request that is freed while it is active. */
    MPI_Recv_init(taken[3], LENGTH, MPI_INT, left, 6, WORLD, &request);
    MPI_Send_init(data, LENGTH, MPI_INT, right, 6, WORLD, &other);
    MPI_Start(&request);
    MPI_Start(&other);
    MPI_Request_free(&other);
    MPI_Wait(&request, &status);
    MPI_Request_free(&request);
    MPI_Barrier(WORLD);
}

static void to_nobody_and_itself(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int flag;
    MPI_Isend(data, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &requests[0]);
    MPI_Irecv(taken[0], 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &requests[1]);
    MPI_Irecv(taken[1], 1, MPI_INT, rank, 0, WORLD, &requests[2]);
    MPI_Isend(data, 1, MPI_INT, rank, 0, WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    EXPECT(statuses[2].MPI_SOURCE == rank);
    MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, WORLD, statuses);
    EXPECT(statuses[0].MPI_SOURCE == MPI_PROC_NULL);
    MPI_Isend(data, 1, MPI_INT, right, 7, WORLD, &requests[0]);
    do
        MPI_Iprobe(MPI_ANY_SOURCE, 7, WORLD, &flag, statuses);
    while (!flag);
    EXPECT(statuses[0].MPI_SOURCE == left);
    MPI_Recv(taken[0], 1, MPI_INT, left, 7, WORLD, MPI_STATUS_IGNORE);
    do
        MPI_Request_get_status(requests[0], &flag, statuses);
    while (!flag);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    chapter_begin(&argc, &argv);
    of_the_program();
    inactive();
    freed_and_cancelled();
    to_nobody_and_itself();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
