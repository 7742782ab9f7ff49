/* One-sided communication of several threads on windows that the main thread has made: operations
 * in an epoch of the main thread, fences, epochs of a group, locks; for coverage. Ranks in a ring.
 */
#include <mpi.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 3, ROUNDS = 20, LENGTH = 64 };

static int rank, size, next, before;
static MPI_Win shared, fenced[THREADS], grouped, divided, in_turn, handed, locked;
static double *shared_memory, *fenced_memory[THREADS], *grouped_memory, *divided_memory,
    *in_turn_memory, *handed_memory, *locked_memory;
static MPI_Group to, from;
static atomic_int arrived, receiving, turn, opened;

static void require(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double *new_window(MPI_Win *win)
{
    double *memory;
    MPI_Win_allocate(THREADS * LENGTH * sizeof *memory, sizeof *memory, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, win);
    for (int i = 0; i < THREADS * LENGTH; i++)
        memory[i] = -1;
    return memory;
}

/* In the epoch of the main thread. */
static void put_and_get(int thread, double *values)
{
    double *got = values + LENGTH;
    MPI_Request request;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Put(values, LENGTH, MPI_DOUBLE, next, thread * LENGTH, LENGTH, MPI_DOUBLE, shared);
        MPI_Win_flush(next, shared);
        MPI_Rget(got, LENGTH, MPI_DOUBLE, next, thread * LENGTH, LENGTH, MPI_DOUBLE, shared,
                 &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        require(got[0] == values[0] && got[LENGTH - 1] == values[0], "what was put");
    }
}

/* Each thread has a window. */
static void put_between_fences(int thread, const double *values)
{
    MPI_Win_fence(0, fenced[thread]);
    MPI_Put(values, LENGTH, MPI_DOUBLE, next, 0, LENGTH, MPI_DOUBLE, fenced[thread]);
    MPI_Win_fence(0, fenced[thread]);
    require(fenced_memory[thread][LENGTH - 1] == 10 * before + thread, "what came in a fence");
}

/* By one thread. */
static void put_to_group(const double *values)
{
    MPI_Win_post(from, 0, grouped);
    MPI_Win_start(to, 0, grouped);
    MPI_Put(values, LENGTH, MPI_DOUBLE, next, 0, LENGTH, MPI_DOUBLE, grouped);
    MPI_Win_complete(grouped);
    MPI_Win_wait(grouped);
    require(grouped_memory[LENGTH - 1] == 10 * before + 1, "what came from the group");
}

/* One thread gives access, another one accesses. */
static void give_or_take(int thread, const double *values)
{
    for (int i = 0; i < ROUNDS && thread == 0; i++) {
        MPI_Win_post(from, 0, divided);
        MPI_Win_wait(divided);
        require(divided_memory[LENGTH - 1] == 10 * before + 2, "what came to the other thread");
    }
    for (int i = 0; i < ROUNDS && thread == 2; i++) {
        MPI_Win_start(to, 0, divided);
        MPI_Put(values, LENGTH, MPI_DOUBLE, next, 0, LENGTH, MPI_DOUBLE, divided);
        MPI_Win_complete(divided);
    }
}

/* The threads take turns. */
static void take_turns(int thread, const double *values)
{
    for (int i = thread; i < ROUNDS; i += THREADS) {
        while (atomic_load(&turn) != i)
            sched_yield();
        MPI_Win_post(from, 0, in_turn);
        MPI_Win_start(to, 0, in_turn);
        MPI_Put(values, LENGTH, MPI_DOUBLE, next, 0, LENGTH, MPI_DOUBLE, in_turn);
        MPI_Win_complete(in_turn);
        MPI_Win_wait(in_turn);
        require(in_turn_memory[LENGTH - 1] == 10 * before + thread, "what came in turn");
        atomic_store(&turn, i + 1);
    }
}

/* One thread opens the epochs that another one closes. */
static void hand_over(int thread, const double *values)
{
    if (thread == 0) {
        MPI_Win_post(from, 0, handed);
        MPI_Win_start(to, 0, handed);
        atomic_store(&opened, 1);
    } else if (thread == 1) {
        while (!atomic_load(&opened))
            sched_yield();
        MPI_Put(values, LENGTH, MPI_DOUBLE, next, 0, LENGTH, MPI_DOUBLE, handed);
        MPI_Win_complete(handed);
        MPI_Win_wait(handed);
        require(handed_memory[LENGTH - 1] == 10 * before + 1, "what came after handing over");
    }
}

/* Calls of two threads overlap for certain: one receives what the other sends later. */
static void overlap_calls(int thread)
{
    int token = rank;
    if (thread == 0) {
        atomic_store(&receiving, 1);
        MPI_Recv(&token, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (thread == 1) {
        while (!atomic_load(&receiving))
            sched_yield();
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        MPI_Send(&token, 1, MPI_INT, rank, 7, MPI_COMM_WORLD);
    }
}

static void *communicate(void *number)
{
    const int thread = *(int *)number;
    double *values = malloc(2 * LENGTH * sizeof *values);
    for (int i = 0; i < LENGTH; i++)
        values[i] = 10 * rank + thread;
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < THREADS) /* all at once */
        sched_yield();
    overlap_calls(thread);
    put_and_get(thread, values);
    put_between_fences(thread, values);
    if (thread == 1)
        put_to_group(values);
    give_or_take(thread, values);
    take_turns(thread, values);
    hand_over(thread, values);
    if (thread == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, locked);
        MPI_Put(values, LENGTH, MPI_DOUBLE, next, 0, LENGTH, MPI_DOUBLE, locked);
        MPI_Win_unlock(next, locked);
    }
    free(values);
    return NULL;
}

static MPI_Group group_of(int member)
{
    MPI_Group all, one;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &member, &one);
    MPI_Group_free(&all);
    return one;
}

int main(int argc, char **argv)
{
    int level, numbers[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    require(level == MPI_THREAD_MULTIPLE, "the level of threads");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    to = group_of(next);
    from = group_of(before);
    shared_memory = new_window(&shared);
    for (int i = 0; i < THREADS; i++)
        fenced_memory[i] = new_window(&fenced[i]);
    grouped_memory = new_window(&grouped);
    divided_memory = new_window(&divided);
    in_turn_memory = new_window(&in_turn);
    handed_memory = new_window(&handed);
    locked_memory = new_window(&locked);
    MPI_Win_lock_all(0, shared);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, communicate, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Win_unlock_all(shared);
    MPI_Barrier(MPI_COMM_WORLD);
    require(shared_memory[0] == 10 * before && locked_memory[LENGTH - 1] == 10 * before + 2,
            "what the others have put");
    MPI_Win_free(&shared);
    for (int i = 0; i < THREADS; i++)
        MPI_Win_free(&fenced[i]);
    MPI_Win_free(&grouped);
    MPI_Win_free(&divided);
    MPI_Win_free(&in_turn);
    MPI_Win_free(&handed);
    MPI_Win_free(&locked);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Finalize();
    return 0;
}
