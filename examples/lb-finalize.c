/* LB-FINALIZE: an imbalance in foo() without any synchronisation after it, so that waiting appears
 * in MPI_Finalize only. A tool that ignores MPI_Finalize sees no problem here. */
#include "examples/example.h"
#include <silas/region.h>

#include <stdio.h>

static void foo(const struct example *example)
{
    double share = 1.0;
    if (!example->fixed && example->size > 1)
        share = 0.5 + (double)example->rank / (example->size - 1);
    SILAS_REGION_BEGIN("foo");
    compute(share * example->work_s / 2);
    SILAS_REGION_END("foo");
}

static void bar(const struct example *example)
{
    SILAS_REGION_BEGIN("bar");
    compute(example->work_s / 2);
    SILAS_REGION_END("bar");
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "lb-finalize",
        .description = "An imbalance in foo() that shows as waiting in MPI_Finalize only.",
        .fix = "balanced",
        .fix_description = "foo() takes the same time on every rank",
        .iterations = 100,
        .work_s = 0.008,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    for (int i = 0; i < example.iterations; i++) {
        foo(&example);
        bar(&example);
    }

    /* A common maximum would need a message. The last rank is the slowest. */
    double time_s = clock_s() - example.begin_s;
    if (example.rank == example.size - 1)
        printf("%s: %d ranks, %d iterations%s\ntime: %.6f s\n", example.name, example.size,
               example.iterations, example.fixed ? ", balanced" : "", time_s);
    return example_end(&example, true);
}
