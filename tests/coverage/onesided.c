/* Every one-sided call, each in a function of its own, between neighbours in a ring; for
 * coverage.sh. Any number of processes from two. */
#include <mpi.h>

#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>

#define WORLD MPI_COMM_WORLD

enum { LENGTH = 256 };

static int rank, size, left, right;
static double origin[LENGTH], result[LENGTH];

static void compute(long microseconds)
{
    const double end = MPI_Wtime() + (double)microseconds * 1e-6;
    while (MPI_Wtime() < end)
        ;
}

static void communicate(MPI_Win win)
{
    static const int64_t one = 1; /* these are used until the epoch ends */
    static int64_t old;
    MPI_Put(origin, LENGTH / 2, MPI_DOUBLE, right, 0, LENGTH / 2, MPI_DOUBLE, win);
    MPI_Get(result, 8, MPI_DOUBLE, right, LENGTH / 2, 8, MPI_DOUBLE, win);
    MPI_Accumulate(origin, 16, MPI_DOUBLE, right, LENGTH / 2 + 16, 16, MPI_DOUBLE, MPI_REPLACE,
                   win);
    MPI_Get_accumulate(origin, 4, MPI_DOUBLE, result + 16, 4, MPI_DOUBLE, right, LENGTH / 2 + 32, 4,
                       MPI_DOUBLE, MPI_SUM, win);
    MPI_Fetch_and_op(&one, &old, MPI_INT64_T, right, LENGTH - 1, MPI_BXOR, win);
}

static void fences(MPI_Win win)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    compute(500 * (rank + 1));
    communicate(win);
    MPI_Win_fence(0, win);
    MPI_Put(origin, 1, MPI_DOUBLE, rank, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/* Each opens its window to the left neighbour and writes to the right one. */
static void groups(MPI_Win win, int tested)
{
    MPI_Group all, to, from;
    int flag = 0;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &right, &to);
    MPI_Group_incl(all, 1, &left, &from);
    compute(300 * (size - rank));
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(origin, LENGTH / 4, MPI_DOUBLE, right, 0, LENGTH / 4, MPI_DOUBLE, win);
    compute(300);
    MPI_Win_complete(win);
    while (tested && !flag) {
        MPI_Win_test(win, &flag);
        compute(50);
    }
    if (!tested)
        MPI_Win_wait(win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&all);
}

static void locks(MPI_Win win)
{
    const int64_t expected = 7, wanted = 8;
    int64_t old;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(origin, 8, MPI_DOUBLE, 0, 0, 8, MPI_DOUBLE, win);
    compute(200);
    MPI_Win_unlock(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, right, MPI_MODE_NOCHECK, win);
    MPI_Rget(result, 8, MPI_DOUBLE, right, LENGTH / 2, 8, MPI_DOUBLE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(right, win);
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Put(origin, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, win);
    MPI_Win_flush_local(right, win);
    MPI_Win_flush(right, win);
    MPI_Compare_and_swap(&wanted, &expected, &old, MPI_INT64_T, right, LENGTH - 2, win);
    MPI_Win_flush_local_all(win);
    MPI_Rput(origin, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, win, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Raccumulate(origin, 4, MPI_DOUBLE, right, 8, 4, MPI_DOUBLE, MPI_SUM, win, &request);
    MPI_Waitall(1, &request, &status);
    MPI_Rget_accumulate(origin, 4, MPI_DOUBLE, result, 4, MPI_DOUBLE, right, 16, 4, MPI_DOUBLE,
                        MPI_REPLACE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(WORLD);
}

static void use(MPI_Win *win)
{
    fences(*win);
    groups(*win, 0);
    groups(*win, 1);
    MPI_Barrier(WORLD);
    locks(*win);
    MPI_Win_free(win);
}

static void dynamic(void)
{
    MPI_Win win;
    MPI_Aint address, *addresses = malloc((size_t)size * sizeof *addresses);
    double *memory = calloc(LENGTH, sizeof *memory);
    if (!addresses || !memory)
        MPI_Abort(WORLD, 3);
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win);
    MPI_Win_attach(win, memory, LENGTH * sizeof *memory);
    MPI_Get_address(memory, &address);
    MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, WORLD);
    MPI_Win_fence(0, win);
    MPI_Put(origin, 8, MPI_DOUBLE, right, addresses[right], 8, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    free(addresses);
    free(memory);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    double *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    if (!(memory = calloc(LENGTH, sizeof *memory)))
        MPI_Abort(WORLD, 3);
    MPI_Win_create(memory, LENGTH * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &win);
    use(&win);
    free(memory);
    MPI_Win_allocate(LENGTH * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &win);
    use(&win);
    MPI_Win_allocate_shared(LENGTH * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory,
                            &win);
    use(&win);
    dynamic();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
