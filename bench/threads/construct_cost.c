/* Median times of constructs of OpenMP, in nanoseconds, one `name: value` line each, on a thread of
 * a team of one. Run it once without and once with silas-trace --openmp; the difference is the cost
 * of tracing (bench/threads/tracing-cost). */
#include <mpi.h>
#include <omp.h>

#include "bench/measure/median_cost.h"

static omp_lock_t lock;
static volatile int sink;

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
    for (int s = 0; s < SAMPLES; s++)
        samples[s] = cost_of_batch(construct);
    print_median_cost(name, samples);
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
