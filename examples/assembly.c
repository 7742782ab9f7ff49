/* ASSEMBLY: each rank assembles its matrix, which is bound by the processor, and sweeps over its
 * blocks, which is bound by memory: even ranks in this order, odd ranks in the other one. So one
 * rank mostly sweeps while the other one assembles. With --fast-assembly both sweep at the same
 * time, and share the bandwidth of memory. */
#include "examples/blocks.h"
#include <silas/region.h>

static void assemble(double seconds)
{
    SILAS_REGION_BEGIN("assemble");
    compute(seconds);
    SILAS_REGION_END("assemble");
}

static void solve(struct blocks *blocks, int sweeps)
{
    SILAS_REGION_BEGIN("solve");
    blocks_sweep(blocks, sweeps);
    SILAS_REGION_END("solve");
}

int main(int argc, char **argv)
{
    int kb = BLOCKS_DEFAULT_KB, sweeps = 16;
    const struct example_option options[] = {
        {"block", "KB of each of the two vectors in a sweep", 1, &kb},
        {"sweeps", "sweeps of a rank in one iteration", 1, &sweeps},
        {0},
    };
    struct example example = {
        .name = "assembly",
        .description = "One rank assembles while another one sweeps.",
        .fix = "fast-assembly",
        .fix_description = "assembly takes a quarter of the time",
        .options = options,
        .iterations = 80,
        .work_s = 0.003,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    struct blocks blocks;
    blocks_open(&blocks, kb);
    example_restart(&example);

    double seconds = example.work_s / (example.fixed ? 4 : 1);
    for (int i = 0; i < example.iterations; i++) {
        if (example.rank % 2 == 0)
            assemble(seconds);
        solve(&blocks, sweeps);
        if (example.rank % 2 == 1)
            assemble(seconds);
        MPI_Barrier(MPI_COMM_WORLD);
    }

    example_report(&example);
    bool correct = blocks_are_correct(&blocks);
    blocks_close(&blocks);
    return example_end(&example, correct);
}
