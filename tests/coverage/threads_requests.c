/* Requests that one thread begins and another completes, while threads communicate at once:
 * messages, persistent and partitioned ones, a nonblocking barrier; for coverage. */
#include <mpi.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 6, LENGTH = 20000, PARTS = 2, TAG = 7, PERSISTENT = 2, PARTITIONED = 4, ALL = 7 };

static int rank, next, before;
static int out[LENGTH], in[LENGTH], started_out, started_in, parts_out[LENGTH], parts_in[LENGTH];
static MPI_Request requests[ALL]; /* irecv, isend, persistent, partitioned, barrier */
static MPI_Comm own;              /* of the main threads */
static atomic_int posted, done, ready;

static void require(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_until(atomic_int *value, int least)
{
    while (atomic_load(value) < least)
        ;
}

static void test_all(int count)
{
    for (int i = 0; i < count; i++)
        for (int flag = 0; !flag;)
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
}

static void *complete(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        wait_until(&posted, i + 1);
        if (i % 3 == 1)
            for (int k = 0; k < ALL; k++)
                MPI_Wait(&requests[(k + i) % ALL], MPI_STATUS_IGNORE);
        else if (i % 3 == 2)
            test_all(ALL);
        else
            MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
        require(in[LENGTH - 1] == before + i, "the message of MPI_Isend");
        require(started_in == before + 2 * i, "the message of MPI_Send_init");
        require(parts_in[0] == before + i && parts_in[LENGTH - 1] == before + i, "a partition");
        atomic_store(&done, i + 1);
    }
    return unused;
}

#if MPI_VERSION >= 4
static void make_partitioned(void)
{
    MPI_Precv_init(parts_in, PARTS, LENGTH / PARTS, MPI_INT, before, TAG, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &requests[PARTITIONED]);
    MPI_Psend_init(parts_out, PARTS, LENGTH / PARTS, MPI_INT, next, TAG, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &requests[PARTITIONED + 1]);
}

static void fill_part(int part, int round)
{
    for (int k = LENGTH / PARTS * part; k < LENGTH / PARTS * (part + 1); k++)
        parts_out[k] = rank + round;
    MPI_Pready(part, requests[PARTITIONED + 1]);
}
#else /* ordinary messages of the same length */
static void make_partitioned(void)
{
    MPI_Recv_init(parts_in, LENGTH, MPI_INT, before, TAG + 2, MPI_COMM_WORLD,
                  &requests[PARTITIONED]);
    MPI_Send_init(parts_out, LENGTH, MPI_INT, next, TAG + 2, MPI_COMM_WORLD,
                  &requests[PARTITIONED + 1]);
}

static void fill_part(int part, int round)
{
    (void)part, (void)round;
}
#endif

/* Fills the second partition. */
static void *fill(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        wait_until(&ready, i + 1);
        fill_part(1, i);
    }
    return unused;
}

static void begin(int round)
{
    for (int k = 0; k < LENGTH; k++)
        out[k] = rank + round;
    if (MPI_VERSION < 4)
        for (int k = 0; k < LENGTH; k++)
            parts_out[k] = rank + round;
    started_out = rank + 2 * round;
    MPI_Irecv(in, LENGTH, MPI_INT, before, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, LENGTH, MPI_INT, next, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(4, &requests[PERSISTENT]);
    atomic_store(&ready, round + 1);
    fill_part(0, round);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[ALL - 1]);
}

int main(int argc, char **argv)
{
    int level, size, sent = 1, received;
    pthread_t threads[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    require(level == MPI_THREAD_MULTIPLE, "the level of threads");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    MPI_Recv_init(&started_in, 1, MPI_INT, before, TAG + 1, MPI_COMM_WORLD, &requests[PERSISTENT]);
    MPI_Send_init(&started_out, 1, MPI_INT, next, TAG + 1, MPI_COMM_WORLD,
                  &requests[PERSISTENT + 1]);
    make_partitioned();
    pthread_create(&threads[0], NULL, complete, NULL);
    pthread_create(&threads[1], NULL, fill, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        begin(i);
        atomic_store(&posted, i + 1);
        MPI_Sendrecv(&sent, 1, MPI_INT, next, 1, &received, 1, MPI_INT, before, 1, own,
                     MPI_STATUS_IGNORE); /* at the same time */
        wait_until(&done, i + 1);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (int k = 0; k < 4; k++)
        MPI_Request_free(&requests[PERSISTENT + k]);
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
