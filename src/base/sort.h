/* Sorting by a whole number, in time that grows as the count does. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyed {
    uint64_t key;
    uint32_t value;
};

/* Sorts by key; items of equal keys stay in their order. Takes as much memory again for the time
 * being; false when there is none. */
bool keyed_sort(struct keyed *items, size_t count);

/* The key by which signed numbers are in order. */
static inline uint64_t sort_key(int64_t number)
{
    return (uint64_t)number ^ (uint64_t)1 << 63;
}

/* Ascending orders of plain values, for qsort. */
#define ORDER_ASCENDING(name, type)                              \
    static inline int order_##name(const void *a, const void *b) \
    {                                                            \
        type x = *(const type *)a, y = *(const type *)b;         \
        return x < y ? -1 : x > y;                               \
    }

ORDER_ASCENDING(uint32, uint32_t)
ORDER_ASCENDING(uint64, uint64_t)
ORDER_ASCENDING(int64, int64_t)
ORDER_ASCENDING(double, double)

#undef ORDER_ASCENDING

#endif
