/* Fetching data into the caches before they are needed. */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

/* Prefetches the data at this address, which may be any. Without the empty statement GCC assumes
 * that functions which only prefetch do nothing, and removes calls of them. */
static inline void prefetch(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

/* For loops over items in no order: the data of several items are prefetched together, first the
 * pointers of all of them, then the data. */
enum { PREFETCH_TOGETHER = 16 };

/* How many items of a loop over `count` are to be prefetched at item `place`: a batch at every
 * PREFETCH_TOGETHER-th, 0 at the others. */
static inline uint32_t prefetch_batch(size_t place, size_t count)
{
    const size_t left = count - place;
    if (place % PREFETCH_TOGETHER != 0)
        return 0;
    return left < PREFETCH_TOGETHER ? (uint32_t)left : PREFETCH_TOGETHER;
}

/* The same for a block, or the first lines of a long one. */
static inline void prefetch_block(const void *begin, size_t bytes)
{
    enum { LINE = 64, MOST = 32 * LINE };
    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        prefetch((const char *)begin + at);
}

#endif
