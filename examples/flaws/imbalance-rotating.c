/* IMBALANCE-ROTATING: in every iteration one rank adapts its mesh, which takes it longer; the
 * others wait for it in MPI_Allreduce. It is a different rank each time, so all have the same total
 * and a profile shows no imbalance. With --fixed all adapt a part in every iteration. */
#include "examples/example.h"
#include <silas/region.h>

/* How much longer than the mean the rank that adapts takes; the others take less, so that the mean
 * over the ranks is always the same. */
static const double VARIATION = 0.5;

static void adapt(const struct example *example, int iteration)
{
    double share = 1.0;
    if (!example->fixed && example->size > 1)
        share += iteration % example->size == example->rank ? VARIATION
                                                            : -VARIATION / (example->size - 1);
    SILAS_REGION_BEGIN("adapt");
    compute(share * 0.4 * example->work_s);
    SILAS_REGION_END("adapt");
}

static void advance(const struct example *example)
{
    SILAS_REGION_BEGIN("advance");
    compute(0.6 * example->work_s);
    SILAS_REGION_END("advance");
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "imbalance-rotating",
        .description = "A different rank is slow in each iteration; all have the same total.",
        .fix = "fixed",
        .fix_description = "adapt() takes the same time on every rank in every iteration",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    long sum = 0;
    for (int i = 0; i < example.iterations; i++) {
        long mine = i + example.rank, all;
        adapt(&example, i);
        advance(&example);
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }

    long n = example.iterations, p = example.size;
    example_report(&example);
    return example_end(&example, sum == p * n * (n - 1) / 2 + n * p * (p - 1) / 2);
}
