/* Median times of constructs of OpenMP, in nanoseconds, one `name: value` line each, on a thread of
 * a team of one. Run it once without and once with silas-trace --openmp; the difference is the cost
 * of tracing (bench/threads/tracing-cost). Each sample is the mean of a short batch, so that the
 * cost and the resolution of the clock do not matter. */
#include <mpi.h>
#include <omp.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 64, SAMPLES = 4001 };

static omp_lock_t lock;
static volatile int sink;

static double wall_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare_costs(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void enter_critical(void)
{
#pragma omp critical
    sink++;
}

static void set_lock(void)
{
    omp_set_lock(&lock);
    sink++;
    omp_unset_lock(&lock);
}

static void run_loop(void)
{
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 1; i++)
        sink++;
}

static void wait_for_tasks(void)
{
#pragma omp taskwait
}

static void run_task(void)
{
#pragma omp task if (0)
    sink++;
}

static void measure_construct(const char *name, void (*construct)(void))
{
    static double samples[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        const double start = wall_clock_ns();
        for (int i = 0; i < BATCH; i++)
            construct();
        samples[s] = (wall_clock_ns() - start) / BATCH;
    }
    qsort(samples, SAMPLES, sizeof *samples, compare_costs);
    printf("%s: %.1f\n", name, samples[SAMPLES / 2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
    {
        measure_construct("critical", enter_critical);
        measure_construct("lock", set_lock);
        measure_construct("loop", run_loop);
        measure_construct("taskwait", wait_for_tasks);
        measure_construct("task", run_task);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
