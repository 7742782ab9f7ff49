#include "patterns/pool.h"

#include "base/memory.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CHUNK = 2 * 1024 * 1024, /* a large page */
    ALIGNMENT = 64,
    LARGE_POOL = 16 * CHUNK,   /* expected bytes: the unused part of the last chunk is small then */
    LARGEST_BLOCK = CHUNK / 8, /* of a chunk; larger ones are the C library's */
};

/* At the start of a large page. */
struct pool_chunk {
    size_t blocks; /* that are not free */
};

void pool_open(struct pool *pool, size_t expected)
{
    *pool = (struct pool){.large = expected >= LARGE_POOL};
#ifdef __SANITIZE_ADDRESS__
    pool->large = false; /* the sanitizer only knows the bounds of the C library's blocks */
#endif
}

/* A large page; NULL if out of memory. */
static struct pool_chunk *new_chunk(void)
{
    char *mapped =
        mmap(NULL, 2 * (size_t)CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    const size_t before = (0 - (uintptr_t)mapped) % CHUNK;
    if (before > 0)
        munmap(mapped, before);
    munmap(mapped + before + CHUNK, CHUNK - before);
    memory_advise_huge(mapped + before, CHUNK, false);
    return (struct pool_chunk *)(void *)(mapped + before);
}

static bool is_apart(const struct pool *pool, size_t size)
{
    return !pool->large || size > LARGEST_BLOCK;
}

/* The C library's. */
static void *alloc_apart(size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *block = aligned_alloc(ALIGNMENT, size);
    return block ? memset(block, 0, size) : NULL;
}

static void unmap_if_free(struct pool_chunk *chunk)
{
    if (chunk->blocks == 0)
        munmap(chunk, CHUNK);
}

void *pool_alloc(struct pool *pool, size_t size)
{
    if (is_apart(pool, size))
        return alloc_apart(size);
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!pool->current || CHUNK - pool->used < size) {
        struct pool_chunk *fresh = new_chunk();
        if (!fresh)
            return NULL;
        if (pool->current)
            unmap_if_free(pool->current);
        pool->current = fresh;
        pool->used = ALIGNMENT;
    }
    char *block = (char *)pool->current + pool->used;
    pool->used += size;
    pool->current->blocks++;
    return block;
}

void pool_free(struct pool *pool, void *block, size_t size)
{
    if (!block || is_apart(pool, size)) {
        free(block);
        return;
    }
    struct pool_chunk *chunk =
        (struct pool_chunk *)(void *)((char *)block - (uintptr_t)block % CHUNK);
    assert(chunk->blocks > 0);
    chunk->blocks--;
    if (chunk != pool->current)
        unmap_if_free(chunk);
}

void pool_close(struct pool *pool)
{
    if (pool->current)
        unmap_if_free(pool->current);
    *pool = (struct pool){0};
}
