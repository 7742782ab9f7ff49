/* NEEDLESS-BARRIER: a time step has four phases, each of which takes half of the ranks longer, and
 * a barrier after each, although no phase uses data of other ranks. All ranks need the same time
 * for a step, so without the barriers (--fixed) none waits. */
#include "examples/example.h"
#include <silas/region.h>

/* How much longer than the mean a slow phase takes, and how much shorter a fast one. */
static const double VARIATION = 0.4;

/* What a phase takes on this rank. */
static double phase_time(const struct example *example, int phase)
{
    bool slow = (example->rank + phase) % 2 == 0;
    return 0.25 * example->work_s * (slow ? 1 + VARIATION : 1 - VARIATION);
}

static void synchronize(const struct example *example)
{
    if (example->fixed)
        return;
    SILAS_REGION_BEGIN("synchronize");
    MPI_Barrier(MPI_COMM_WORLD);
    SILAS_REGION_END("synchronize");
}

static void advect(const struct example *example)
{
    SILAS_REGION_BEGIN("advect");
    compute(phase_time(example, 0));
    SILAS_REGION_END("advect");
    synchronize(example);
}

static void diffuse(const struct example *example)
{
    SILAS_REGION_BEGIN("diffuse");
    compute(phase_time(example, 1));
    SILAS_REGION_END("diffuse");
    synchronize(example);
}

static void react(const struct example *example)
{
    SILAS_REGION_BEGIN("react");
    compute(phase_time(example, 2));
    SILAS_REGION_END("react");
    synchronize(example);
}

static void heat(const struct example *example)
{
    SILAS_REGION_BEGIN("heat");
    compute(phase_time(example, 3));
    SILAS_REGION_END("heat");
    synchronize(example);
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "needless-barrier",
        .description = "Barriers between the phases of a step let all wait for the slowest.",
        .fix = "fixed",
        .fix_description = "does without the barriers",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    long sum = 0;
    for (int i = 0; i < example.iterations; i++) {
        long mine = i + example.rank, all;
        advect(&example);
        diffuse(&example);
        react(&example);
        heat(&example);
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
    long n = example.iterations, p = example.size;
    example_report(&example);
    return example_end(&example, sum == p * n * (n - 1) / 2 + n * p * (p - 1) / 2);
}
