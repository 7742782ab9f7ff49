/* Fetching data into the caches before they are needed. */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

/* Begins to fetch what is at this address, which may be any. Without the empty statement GCC takes
 * functions that only fetch for functions that do nothing, and leaves out calls of them. */
static inline void prefetch(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

/* For loops over items that lie in no order. What several of them need is fetched together, first
 * of all of them what leads to the rest. */
enum { PREFETCH_TOGETHER = 16 };

/* How many items of a loop over `count`, from number `place` on, are to be fetched now: 0 for most
 * places, because those before have fetched for them. */
static inline uint32_t prefetch_batch(size_t place, size_t count)
{
    const size_t left = count - place;
    if (place % PREFETCH_TOGETHER != 0)
        return 0;
    return left < PREFETCH_TOGETHER ? (uint32_t)left : PREFETCH_TOGETHER;
}

/* Like prefetch for a block, or the begin of a long one. */
static inline void prefetch_block(const void *begin, size_t bytes)
{
    enum { LINE = 64, MOST = 32 * LINE };
    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        prefetch((const char *)begin + at);
}

#endif
