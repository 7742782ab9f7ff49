/* Many blocks of memory that live about as long as each other, in large pages. Where memory is
 * accessed at random, looking up the place of small pages takes as long as the access itself, and
 * so does the first access to each. */
#ifndef PATTERNS_POOL_H
#define PATTERNS_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool_chunk;

struct pool { /* all zero: blocks are the C library's */
    struct pool_chunk *current;
    size_t used; /* of its bytes */
    bool large;
};

/* `expected` bytes of blocks: only many of them get large pages. */
void pool_open(struct pool *pool, size_t expected);
/* Zeros, aligned to the lines of a cache. NULL if out of memory. Free with pool_free. */
void *pool_alloc(struct pool *pool, size_t size);
/* Frees a block of `size` bytes, which may be NULL. Memory goes back to the system when all blocks
 * of a large page are free. */
void pool_free(struct pool *pool, void *block, size_t size);
/* When all blocks are free. */
void pool_close(struct pool *pool);

#endif
