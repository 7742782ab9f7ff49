/* BALANCED-SUM: no flaw. All ranks compute the same and sum their results, which each needs for the
 * next iteration. */
#include "examples/example.h"
#include <silas/region.h>

static void multiply(const struct example *example)
{
    SILAS_REGION_BEGIN("multiply");
    compute(0.7 * example->work_s);
    SILAS_REGION_END("multiply");
}

static void update(const struct example *example)
{
    SILAS_REGION_BEGIN("update");
    compute(0.3 * example->work_s);
    SILAS_REGION_END("update");
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "balanced-sum",
        .description = "Balanced computation and a sum over all ranks. It has no flaw.",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    double value = 1 + example.rank, sum = 0;
    for (int i = 0; i < example.iterations; i++) {
        multiply(&example);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        update(&example);
        value = sum / example.size;
    }
    example_report(&example);
    /* After the first sum each rank has the mean. */
    return example_end(&example, example.iterations < 2 || value == (1 + example.size) / 2.0);
}
