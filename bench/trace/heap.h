/* The memory that malloc has given out, in bytes. */
#ifndef BENCH_HEAP_H
#define BENCH_HEAP_H

#include <malloc.h>
#include <stdint.h>

static inline int64_t heap_bytes(void)
{
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#else /* up to 4 GiB of each kind */
    struct mallinfo info = mallinfo();
    return (int64_t)(unsigned)info.uordblks + (int64_t)(unsigned)info.hblkhd;
#endif
}

#endif
