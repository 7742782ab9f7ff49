/* LB-COLL: an imbalance in foo() makes the ranks wait in the next MPI_Allreduce, with a balanced
 * bar() between cause and symptom (SILAS paper, Figure 3a). */
#include "examples/example.h"
#include <silas/region.h>

/* Longer on higher ranks: from half to one and a half of the mean. */
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
        .name = "lb-coll",
        .description = "An imbalance in foo() shows as waiting in MPI_Allreduce, after bar().",
        .fix = "balanced",
        .fix_description = "foo() takes the same time on every rank",
        .iterations = 100,
        .work_s = 0.008,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    long sum = 0;
    for (int i = 0; i < example.iterations; i++) {
        long mine = i + example.rank, all;
        foo(&example);
        bar(&example);
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }

    long n = example.iterations, p = example.size;
    example_report(&example);
    return example_end(&example, sum == p * n * (n - 1) / 2 + n * p * (p - 1) / 2);
}
