/* LATE-SENDER: even ranks produce a result, do their bookkeeping, and only then send the result,
 * which does not need the bookkeeping. Odd ranks wait for it. With --fixed they send first. */
#include "examples/example.h"
#include <silas/region.h>

static void produce(const struct example *example)
{
    SILAS_REGION_BEGIN("produce");
    compute(0.3 * example->work_s);
    SILAS_REGION_END("produce");
}

static void keep_books(const struct example *example)
{
    SILAS_REGION_BEGIN("keep_books");
    compute(0.25 * example->work_s);
    SILAS_REGION_END("keep_books");
}

static void send_result(const struct example *example, int result)
{
    SILAS_REGION_BEGIN("send_result");
    MPI_Send(&result, 1, MPI_INT, example->rank + 1, 0, MPI_COMM_WORLD);
    SILAS_REGION_END("send_result");
}

static int receive_result(const struct example *example)
{
    int result;
    SILAS_REGION_BEGIN("receive_result");
    MPI_Recv(&result, 1, MPI_INT, example->rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SILAS_REGION_END("receive_result");
    return result;
}

static void consume(const struct example *example)
{
    SILAS_REGION_BEGIN("consume");
    compute(0.5 * example->work_s);
    SILAS_REGION_END("consume");
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "late-sender",
        .description = "Even ranks do their bookkeeping before they send what odd ones wait for.",
        .fix = "fixed",
        .fix_description = "sends before the bookkeeping",
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
            produce(&example);
            if (!example.fixed)
                keep_books(&example);
            send_result(&example, i);
            if (example.fixed)
                keep_books(&example);
        } else {
            received = receive_result(&example);
            consume(&example);
        }
        MPI_Allreduce(&received, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
    int n = example.iterations;
    example_report(&example);
    return example_end(&example, sum == example.size / 2 * (n * (n - 1) / 2));
}
