/* LB-MEMORY: an imbalance in a solver that is bound by memory. Odd ranks sweep over three times as
 * many blocks as even ones, which wait in MPI_Allreduce. While both sweep they share the bandwidth
 * of memory; then the late rank has it alone and is faster. Balanced, they always share it, so less
 * is gained than the waiting times promise. With --block 16 the vector stays in a cache, and
 * nothing is shared. */
#include "examples/blocks.h"
#include <silas/region.h>

static void solve(struct blocks *blocks, int sweeps)
{
    SILAS_REGION_BEGIN("solve");
    blocks_sweep(blocks, sweeps);
    SILAS_REGION_END("solve");
}

int main(int argc, char **argv)
{
    int kb = BLOCKS_DEFAULT_KB, sweeps = 12;
    const struct example_option options[] = {
        {"block", "KB of each of the two vectors in a sweep", 1, &kb},
        {"sweeps", "mean number of sweeps of a rank in one iteration", 2, &sweeps},
        {0},
    };
    struct example example = {
        .name = "lb-memory",
        .description = "An imbalance in a solver that is bound by memory.",
        .fix = "balanced",
        .fix_description = "all ranks have the same number of sweeps",
        .options = options,
        .iterations = 80,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    struct blocks blocks;
    blocks_open(&blocks, kb);
    example_restart(&example);

    int own = sweeps;
    if (!example.fixed && example.size > 1)
        own = example.rank % 2 == 0 ? sweeps / 2 : sweeps + (sweeps - sweeps / 2);
    for (int i = 0; i < example.iterations; i++) {
        int one = 1, sum;
        solve(&blocks, own);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }

    example_report(&example);
    bool correct = blocks_are_correct(&blocks);
    blocks_close(&blocks);
    return example_end(&example, correct);
}
