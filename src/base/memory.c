#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1; older ones refuse it */
#endif

enum {
    HUGE_PAGE = 2 << 20,        /* bytes, on common processors */
    MAPPED_BYTES = 32 << 20,    /* blocks of this size are mapped one by one: the largest value */
    KEPT_BYTES = 256 << 20,     /* of freed memory at the end of the heap */
    PREPARED_BYTES = 1 << 30,   /* of the heap */
    LEAST_PREPARED = 10 << 20,  /* four huge pages, wherever the heap begins */
    USUAL_EXTENSION = 128 << 10 /* of the heap at a time: the C library's default */
};

/* Where the prepared part of the heap ends; NULL: nothing is prepared. */
static const char *prepared_end;

void memory_advise_huge(void *block, size_t size, bool filled)
{
    uintptr_t begin = ((uintptr_t)block + HUGE_PAGE - 1) & ~((uintptr_t)HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)block + size) & ~((uintptr_t)HUGE_PAGE - 1);
    if (!block || begin >= end)
        return;
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    if (filled)
        madvise((void *)begin, end - begin, MADV_COLLAPSE);
}

static bool is_unlimited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

/* Whether memory counts as used only when something is written to it. */
static bool address_space_is_free(void)
{
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
    const int first = file ? fgetc(file) : '2';
    if (file)
        fclose(file);
    return first != '2' && is_unlimited(RLIMIT_AS) && is_unlimited(RLIMIT_DATA);
}

/* Extends the heap for a block that no gap in it has room for, and by `more` bytes. */
static void extend_heap(size_t size, int more)
{
    mallopt(M_TOP_PAD, more);
    char *volatile block = malloc(size);
    mallopt(M_TOP_PAD, USUAL_EXTENSION);
    const char *end = sbrk(0);
    if (block && block < end) { /* not mapped */
        memory_advise_huge(block, (size_t)(end - block), false);
        prepared_end = end;
    }
    free(block);
}

void memory_begin(void)
{
    if (prepared_end)
        return;
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, PREPARED_BYTES + KEPT_BYTES);
    if (address_space_is_free())
        extend_heap(MAPPED_BYTES - 4096, PREPARED_BYTES);
    else
        extend_heap(LEAST_PREPARED, 0);
}

void memory_keep_freed(void)
{
    if (prepared_end)
        return;
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

void memory_trim(void)
{
    if (!prepared_end || (const char *)sbrk(0) > prepared_end)
        malloc_trim(0);
}
