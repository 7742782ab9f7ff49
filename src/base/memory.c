#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1; older ones refuse it */
#endif

void memory_give_back(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void memory_advise_huge(void *block, size_t size, bool filled)
{
    static const uintptr_t HUGE_PAGE = 2 << 20; /* the size on common processors */
    uintptr_t begin = ((uintptr_t)block + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)block + size) & ~(HUGE_PAGE - 1);
    if (!block || begin >= end)
        return;
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    if (filled)
        madvise((void *)begin, end - begin, MADV_COLLAPSE);
}
