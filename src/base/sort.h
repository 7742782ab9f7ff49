/* Sorting by whole numbers in linear time, orders of plain values for qsort, and binary search. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyed {
    uint64_t key;
    uint32_t value;
};

/* Sorts by key; items with equal keys keep their order. Needs memory for a copy of the items.
 * False if out of memory; the items are unchanged then. */
bool keyed_sort(struct keyed *items, size_t count);

/* A key that orders signed numbers. */
static inline uint64_t sort_key(int64_t number)
{
    return (uint64_t)number ^ (uint64_t)1 << 63;
}

/* -1, 0 or 1 as a is less than, equal to or greater than b. An order by several values is a chain:
 * ORDER(x->rank, y->rank) ?: ORDER(x->row, y->row). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines a static function `name` that orders items for qsort, by a chain of fields:
 *
 *     ORDER_BY(largest_first, struct explained_cause, DESCENDING(ticks) ?: ASCENDING(rank)) */
#define ORDER_BY(name, type, chain)                      \
    static int name(const void *left, const void *right) \
    {                                                    \
        const type *left_ = left, *right_ = right;       \
        return chain;                                    \
    }
/* The links of the chain. */
#define ASCENDING(field)  ORDER(left_->field, right_->field)
#define DESCENDING(field) ORDER(right_->field, left_->field)

static inline int64_t int64_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t int64_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* order_uint32 and so on: ascending orders, for qsort. */
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

/* Binary search: the first index of [from, to) for which `condition` holds, `to` if there is none.
 * The condition names the index as `index`; from the first index for which it holds on, it must
 * hold for all. The last index for which a condition holds is one less than the first for which its
 * opposite does. */
#define first_where(from, to, index, condition)                       \
    ({                                                                \
        __typeof__((from) + (to)) low_ = (from), high_ = (to);        \
        while (low_ < high_) {                                        \
            const __typeof__(low_) index = low_ + (high_ - low_) / 2; \
            if (condition)                                            \
                high_ = index;                                        \
            else                                                      \
                low_ = index + 1;                                     \
        }                                                             \
        low_;                                                         \
    })

#endif
