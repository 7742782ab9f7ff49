/* PIPELINE: even ranks produce, odd ranks consume what their neighbour has produced. A producer
 * waits until its consumer has acknowledged the last product before it continues, so their sweeps
 * alternate but for a part of each. With --no-acknowledgements both always sweep at the same time
 * and share the bandwidth of memory: less is gained than the waiting times promise. */
#include "examples/blocks.h"
#include <silas/region.h>

enum { TAG_PRODUCT, TAG_ACKNOWLEDGEMENT };

/* Ready to begin the next product while the consumer is at work, but not to go beyond its start. */
static void produce(const struct example *example, struct blocks *blocks, int sweeps, int product)
{
    int consumer = example->rank + 1, value;
    SILAS_REGION_BEGIN("begin_product");
    blocks_sweep(blocks, sweeps / 3);
    SILAS_REGION_END("begin_product");
    if (!example->fixed && product > 0)
        MPI_Recv(&value, 1, MPI_INT, consumer, TAG_ACKNOWLEDGEMENT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    SILAS_REGION_BEGIN("finish_product");
    blocks_sweep(blocks, sweeps - sweeps / 3);
    SILAS_REGION_END("finish_product");
    MPI_Send(&product, 1, MPI_INT, consumer, TAG_PRODUCT, MPI_COMM_WORLD);
}

static int consume(const struct example *example, struct blocks *blocks, int sweeps)
{
    int producer = example->rank - 1, product;
    MPI_Recv(&product, 1, MPI_INT, producer, TAG_PRODUCT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SILAS_REGION_BEGIN("use_product");
    blocks_sweep(blocks, sweeps);
    SILAS_REGION_END("use_product");
    if (!example->fixed)
        MPI_Send(&product, 1, MPI_INT, producer, TAG_ACKNOWLEDGEMENT, MPI_COMM_WORLD);
    return product;
}

int main(int argc, char **argv)
{
    int kb = BLOCKS_DEFAULT_KB, sweeps = 12;
    const struct example_option options[] = {
        {"block", "KB of each of the two vectors in a sweep", 1, &kb},
        {"sweeps", "sweeps of a rank in one iteration", 3, &sweeps},
        {0},
    };
    struct example example = {
        .name = "pipeline",
        .description = "Producers wait for acknowledgements of their consumers.",
        .fix = "no-acknowledgements",
        .fix_description = "producers continue at once",
        .options = options,
        .iterations = 80,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (example.size % 2 != 0)
        return example_refuse(&example, "needs an even number of ranks");
    struct blocks blocks;
    blocks_open(&blocks, kb);
    example_restart(&example);

    bool correct = true;
    int value;
    for (int i = 0; i < example.iterations; i++) {
        if (example.rank % 2 == 0)
            produce(&example, &blocks, sweeps, i);
        else
            correct = consume(&example, &blocks, sweeps) == i && correct;
    }
    if (!example.fixed && example.rank % 2 == 0) /* of the last product */
        MPI_Recv(&value, 1, MPI_INT, example.rank + 1, TAG_ACKNOWLEDGEMENT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);

    example_report(&example);
    correct = blocks_are_correct(&blocks) && correct;
    blocks_close(&blocks);
    return example_end(&example, correct);
}
