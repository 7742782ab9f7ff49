/* Fetching data into the caches before they are needed. */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#include <stddef.h>

/* Begins to fetch what is at this address, which may be any. Without the empty statement GCC takes
 * functions that only fetch for functions that do nothing, and leaves out calls of them. */
static inline void prefetch(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

/* The same for a block, or the begin of a long one. */
static inline void prefetch_block(const void *begin, size_t bytes)
{
    enum { LINE = 64, MOST = 32 * LINE };
    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        prefetch((const char *)begin + at);
}

#endif
