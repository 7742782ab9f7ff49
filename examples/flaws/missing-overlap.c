/* MISSING-OVERLAP: odd ranks receive a boundary from even ones by a blocking call. They then
 * compute the inner part, which does not need it, and after it the border, which does. While they
 * wait they could compute. With --fixed they post the receive and wait for it before the border. */
#include "examples/example.h"
#include <silas/region.h>

static void produce_boundary(const struct example *example, int value)
{
    SILAS_REGION_BEGIN("produce_boundary");
    compute(0.4 * example->work_s);
    MPI_Send(&value, 1, MPI_INT, example->rank + 1, 0, MPI_COMM_WORLD);
    SILAS_REGION_END("produce_boundary");
}

/* What even ranks do while odd ones use the boundary. */
static void refine(const struct example *example)
{
    SILAS_REGION_BEGIN("refine");
    compute(0.3 * example->work_s);
    SILAS_REGION_END("refine");
}

static void inner(const struct example *example)
{
    SILAS_REGION_BEGIN("inner");
    compute(0.3 * example->work_s);
    SILAS_REGION_END("inner");
}

static void border(const struct example *example)
{
    SILAS_REGION_BEGIN("border");
    compute(0.3 * example->work_s);
    SILAS_REGION_END("border");
}

/* Returns what was received. */
static int use_boundary(const struct example *example)
{
    MPI_Request request;
    int value = 0;
    if (example->fixed)
        MPI_Irecv(&value, 1, MPI_INT, example->rank - 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv(&value, 1, MPI_INT, example->rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    inner(example);
    if (example->fixed)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    border(example);
    return value;
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "missing-overlap",
        .description = "Odd ranks wait for a message before they compute what does not need it.",
        .fix = "fixed",
        .fix_description = "waits for the message where it is needed",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (example.size % 2 != 0)
        return example_refuse(&example, "needs an even number of ranks");

    int sum = 0, all = 0;
    for (int i = 0; i < example.iterations; i++) {
        int received = 0;
        if (example.rank % 2 == 0) {
            produce_boundary(&example, i);
            refine(&example);
        } else {
            received = use_boundary(&example);
        }
        MPI_Allreduce(&received, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
    int n = example.iterations;
    example_report(&example);
    return example_end(&example, sum == example.size / 2 * (n * (n - 1) / 2));
}
