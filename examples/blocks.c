#include "examples/blocks.h"

#include <silas/region.h>
#include <stdlib.h>

void blocks_open(struct blocks *blocks, int kb)
{
    blocks->block = (size_t)kb * 1024 / sizeof(double);
    blocks->count = blocks->block * BLOCKS_PER_VECTOR;
    blocks->now = allocate_doubles(blocks->count);
    blocks->source = allocate_doubles(blocks->count);
    blocks->next = 0;
    for (size_t i = 0; i < blocks->count; i++)
        blocks->now[i] = blocks->source[i] = (double)(i % 1000);
}

void blocks_close(struct blocks *blocks)
{
    free(blocks->now);
    free(blocks->source);
}

/* One step of a relaxation towards the source, which the vector has reached already. */
static void relax(double *restrict now, const double *restrict source, size_t count)
{
    for (size_t i = 0; i < count; i++)
        now[i] = 0.75 * now[i] + 0.25 * source[i];
}

void blocks_sweep(struct blocks *blocks, int count)
{
    for (int i = 0; i < count; i++) {
        SILAS_REGION_BEGIN("sweep");
        relax(blocks->now + blocks->next, blocks->source + blocks->next, blocks->block);
        blocks->next = (blocks->next + blocks->block) % blocks->count;
        SILAS_REGION_END("sweep");
    }
}

bool blocks_are_correct(const struct blocks *blocks)
{
    bool correct = true;
    for (size_t i = 0; i < blocks->count; i++)
        correct = correct && blocks->now[i] == (double)(i % 1000);
    return correct;
}
