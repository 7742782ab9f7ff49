/* Fetching data into the caches before they are needed. */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

/* Begins to fetch what is at this address, which may be any. Without the empty statement GCC takes
 * functions that only fetch for functions that do nothing, and leaves out calls of them. */
static inline void prefetch(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

#endif
