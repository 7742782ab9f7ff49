/* What tests of memory ask about a block. */
#ifndef TESTS_BASE_BLOCKS_H
#define TESTS_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

static inline bool all_are(const unsigned char *block, size_t size, int value)
{
    for (size_t byte = 0; byte < size; byte++)
        if (block[byte] != value)
            return false;
    return true;
}

#endif
