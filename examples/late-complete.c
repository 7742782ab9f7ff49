/* LATE-COMPLETE: odd ranks put results into the windows of even ranks and do their bookkeeping
 * before they end the epoch. So the even ranks wait in MPI_Win_wait for data that arrived long ago.
 * With
 * --complete-first the epoch ends before the bookkeeping, and no rank waits. (The wait only costs
 * time if MPI_Win_start waits for MPI_Win_post, as in MPICH; otherwise an epoch can be ahead of its
 * consumer.) */
#include "examples/example.h"
#include <silas/region.h>

static void produce(const struct example *example)
{
    SILAS_REGION_BEGIN("produce");
    compute(example->work_s / 8);
    SILAS_REGION_END("produce");
}

static void keep_books(const struct example *example)
{
    SILAS_REGION_BEGIN("keep_books");
    compute(example->work_s / 2);
    SILAS_REGION_END("keep_books");
}

static void consume(const struct example *example)
{
    SILAS_REGION_BEGIN("consume");
    compute(example->work_s * 5 / 8);
    SILAS_REGION_END("consume");
}

/* The epoch of a producer: the consumer waits for everything in it. */
static void deliver(const struct example *example, MPI_Group consumer, int result, MPI_Win window)
{
    MPI_Win_start(consumer, 0, window);
    MPI_Put(&result, 1, MPI_INT, example->rank - 1, 0, 1, MPI_INT, window);
    if (!example->fixed)
        keep_books(example);
    MPI_Win_complete(window);
    if (example->fixed)
        keep_books(example);
}

static MPI_Group partner_group(int partner)
{
    MPI_Group all, group;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &partner, &group);
    MPI_Group_free(&all);
    return group;
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "late-complete",
        .description =
            "Odd ranks compute between their last MPI_Put and MPI_Win_complete; even ones\n"
            "wait for that in MPI_Win_wait, although the data are there.",
        .fix = "complete-first",
        .fix_description = "MPI_Win_complete comes right after MPI_Put",
        .iterations = 100,
        .work_s = 0.008,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (example.size % 2 != 0)
        return example_refuse(&example, "needs an even number of ranks");

    int *delivered, sum = 0;
    bool consumes = example.rank % 2 == 0;
    MPI_Group partner = partner_group(consumes ? example.rank + 1 : example.rank - 1);
    MPI_Win window;
    MPI_Win_allocate(sizeof *delivered, sizeof *delivered, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &delivered, &window);
    for (int i = 0; i < example.iterations; i++) {
        if (consumes) {
            MPI_Win_post(partner, 0, window);
            MPI_Win_wait(window);
            sum += *delivered;
            consume(&example);
        } else {
            produce(&example);
            deliver(&example, partner, i, window);
        }
    }
    MPI_Win_free(&window);
    MPI_Group_free(&partner);

    bool correct = !consumes || sum == example.iterations * (example.iterations - 1) / 2;
    example_report(&example);
    return example_end(&example, correct);
}
