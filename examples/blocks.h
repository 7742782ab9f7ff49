/* Computation that is bound by memory: a vector that no cache holds, updated block by block. */
#ifndef EXAMPLES_BLOCKS_H
#define EXAMPLES_BLOCKS_H

#include "examples/example.h"

struct blocks {
    double *now, *source; /* [count] */
    size_t count, block;  /* doubles; of one sweep */
    size_t next;          /* where the next sweep begins */
};

enum { BLOCKS_DEFAULT_KB = 4096, BLOCKS_PER_VECTOR = 16 };

/* A vector of BLOCKS_PER_VECTOR blocks of `kb` KB. Calls MPI_Abort when memory is out. */
void blocks_open(struct blocks *blocks, int kb);
void blocks_close(struct blocks *blocks);

/* Updates the next `count` blocks, one after the other; each is a visit of the region "sweep". */
void blocks_sweep(struct blocks *blocks, int count);

/* Whether the vector has the values that it must have after any number of sweeps. */
bool blocks_are_correct(const struct blocks *blocks);

#endif
