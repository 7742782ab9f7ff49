/* IMBALANCE-TOTAL: assemble() has more to do on higher ranks, in every iteration, so lower ranks
 * wait for the halo of their neighbours and for the sum of the residuals. With --fixed all ranks
 * assemble as much.
 *
 * The programs of this folder have one flaw each, and --fixed removes it; three have none
 * (balanced-stencil, balanced-sum, independent-samples). Their computation takes a given time,
 * which determines the cost of the flaw: doc/validation.md compares it with the saving that
 * silas-advise predicts. */
#include "examples/example.h"
#include <silas/region.h>

/* How much longer than the mean the highest rank assembles, and how much shorter the lowest. */
static const double VARIATION = 0.4;

static void assemble(const struct example *example)
{
    double share = 1.0;
    if (!example->fixed && example->size > 1)
        share += VARIATION * (2.0 * example->rank / (example->size - 1) - 1);
    SILAS_REGION_BEGIN("assemble");
    compute(share * 0.5 * example->work_s);
    SILAS_REGION_END("assemble");
}

static void solve(const struct example *example)
{
    SILAS_REGION_BEGIN("solve");
    compute(0.5 * example->work_s);
    SILAS_REGION_END("solve");
}

/* Passes a value on to the right; returns the one from the left. */
static int exchange_halo(const struct example *example, int value)
{
    int left = (example->rank + example->size - 1) % example->size, received;
    SILAS_REGION_BEGIN("exchange_halo");
    MPI_Sendrecv(&value, 1, MPI_INT, (example->rank + 1) % example->size, 0, &received, 1, MPI_INT,
                 left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SILAS_REGION_END("exchange_halo");
    return received;
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "imbalance-total",
        .description = "assemble() has more to do on higher ranks.",
        .fix = "fixed",
        .fix_description = "assemble() takes the same time on every rank",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    int value = example.rank, sum = 0;
    bool correct = true;
    for (int i = 0; i < example.iterations; i++) {
        assemble(&example);
        value = exchange_halo(&example, value);
        solve(&example);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        correct = correct && sum == example.size * (example.size - 1) / 2;
    }
    example_report(&example);
    return example_end(&example, correct);
}
