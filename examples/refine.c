/* REFINE: odd ranks refine a part of their blocks by sweeps before the sweeps that all ranks have.
 * So both share the bandwidth of memory at first; then the odd ranks have it alone. With --coarse
 * they refine half as much, which changes who shares it when. */
#include "examples/blocks.h"
#include <silas/region.h>

static void solve(struct blocks *blocks, int sweeps)
{
    SILAS_REGION_BEGIN("solve");
    blocks_sweep(blocks, sweeps);
    SILAS_REGION_END("solve");
}

static void refine(struct blocks *blocks, int sweeps)
{
    SILAS_REGION_BEGIN("refinement");
    blocks_sweep(blocks, sweeps);
    SILAS_REGION_END("refinement");
}

int main(int argc, char **argv)
{
    int kb = BLOCKS_DEFAULT_KB, sweeps = 8;
    const struct example_option options[] = {
        {"block", "KB of each of the two vectors in a sweep", 1, &kb},
        {"sweeps", "sweeps of a rank in one iteration; odd ranks refine by twice as many", 2,
         &sweeps},
        {0},
    };
    struct example example = {
        .name = "refine",
        .description = "Odd ranks refine their solution while the others sweep.",
        .fix = "coarse",
        .fix_description = "odd ranks refine half as much",
        .options = options,
        .iterations = 80,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    struct blocks blocks;
    blocks_open(&blocks, kb);
    example_restart(&example);

    bool refines = example.rank % 2 == 1;
    int more = example.fixed ? sweeps : 2 * sweeps;
    for (int i = 0; i < example.iterations; i++) {
        if (refines)
            refine(&blocks, more);
        solve(&blocks, sweeps);
        MPI_Barrier(MPI_COMM_WORLD);
    }

    example_report(&example);
    bool correct = blocks_are_correct(&blocks);
    blocks_close(&blocks);
    return example_end(&example, correct);
}
