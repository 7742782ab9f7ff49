/* What tests of memory ask about blocks and the process. */
#ifndef TESTS_BASE_BLOCKS_H
#define TESTS_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static inline bool all_are(const unsigned char *block, size_t size, int value)
{
    for (size_t byte = 0; byte < size; byte++)
        if (block[byte] != value)
            return false;
    return true;
}

/* 0: unknown. */
static inline long resident_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

#endif
