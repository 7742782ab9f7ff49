/* Ascending orders of plain values, for qsort. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>

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
