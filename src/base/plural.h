/* Counts in sentences: printf("%u rank%s", count, plural(count)). */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

#include <stdint.h>

/* The ending of a noun: "s", or "" after 1. */
static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
