/* delayed_windows: two processes with a delay of 50 ms in front of each one-sided call that others
 * wait for, each in a region named after what must be found there (delayed-windows-np2.sh). */
#include <mpi.h>
#include <silas/region.h>

#include <stdlib.h>

static int rank;
static double memory[8], value = 1;

static void compute(double seconds)
{
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        ;
}

static void delay(void)
{
    compute(0.05);
}

static void delay_on(int late_rank)
{
    if (rank == late_rank)
        delay();
}

static void put(MPI_Win win, int target)
{
    MPI_Put(&value, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, win);
}

static MPI_Group other(void)
{
    MPI_Group all, group;
    const int members[] = {1 - rank};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, members, &group);
    MPI_Group_free(&all);
    return group;
}

static void fences(MPI_Win win)
{
    SILAS_REGION_BEGIN("fence");
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (rank == 1)
        put(win, 0);
    delay_on(1);
    MPI_Win_fence(0, win);
    SILAS_REGION_END("fence");
}

/* Rank 0 puts to rank 1, which posts late. */
static void late_post(MPI_Win win)
{
    MPI_Group group = other();
    MPI_Barrier(MPI_COMM_WORLD);
    SILAS_REGION_BEGIN("late_post");
    if (rank == 0) {
        MPI_Win_start(group, 0, win);
        put(win, 1);
        MPI_Win_complete(win);
    } else {
        delay();
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
    SILAS_REGION_END("late_post");
    MPI_Group_free(&group);
}

/* Rank 0 puts to rank 1 at once, but completes late. */
static void late_complete(MPI_Win win)
{
    MPI_Group group = other();
    MPI_Barrier(MPI_COMM_WORLD);
    SILAS_REGION_BEGIN("late_complete");
    if (rank == 0) {
        MPI_Win_start(group, 0, win);
        put(win, 1);
        delay();
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
    SILAS_REGION_END("late_complete");
    MPI_Group_free(&group);
}

/* Rank 1 keeps rank 0's window locked; rank 0 wants it, too. */
static void lock_competition(MPI_Win win)
{
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (rank == 1) {
        put(win, 0);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    SILAS_REGION_BEGIN("lock_competition");
    delay_on(1);
    if (rank == 1) {
        MPI_Win_unlock(0, win);
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        put(win, 0);
        MPI_Win_unlock(0, win);
    }
    SILAS_REGION_END("lock_competition");
}

/* Rank 0 puts to rank 1, which computes. */
static void progress(MPI_Win win)
{
    MPI_Barrier(MPI_COMM_WORLD);
    SILAS_REGION_BEGIN("progress");
    delay_on(1);
    if (rank == 0) {
        compute(0.005); /* rank 1 has left the barrier */
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        put(win, 1);
        MPI_Win_unlock(1, win);
    }
    SILAS_REGION_END("progress");
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    delay_on(0);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    fences(win);
    late_post(win);
    late_complete(win);
    MPI_Barrier(MPI_COMM_WORLD);
    lock_competition(win);
    progress(win);
    delay_on(1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
