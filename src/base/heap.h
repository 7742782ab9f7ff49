/* A binary heap: the item with the smallest key comes first, of equal keys the smallest value. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/array.h"

#include <assert.h>
#include <stdint.h>

struct heap_item {
    double key;
    uint32_t value;
};

struct heap { /* all zero: empty; free(heap.list.items) */
    ARRAY(struct heap_item) list;
};

static inline bool heap_item_before(struct heap_item a, struct heap_item b)
{
    return a.key != b.key ? a.key < b.key : a.value < b.value;
}

/* False when memory is out; the heap is unchanged then. Takes no memory after array_reserve of its
 * list. */
static inline bool heap_put(struct heap *heap, struct heap_item item)
{
    if (!array_push(&heap->list, item))
        return false;
    struct heap_item *items = heap->list.items;
    size_t i = heap->list.count - 1;
    for (; i > 0 && heap_item_before(item, items[(i - 1) / 2]); i = (i - 1) / 2)
        items[i] = items[(i - 1) / 2];
    items[i] = item;
    return true;
}

/* Removes and returns the first item of a heap that is not empty. */
static inline struct heap_item heap_take(struct heap *heap)
{
    assert(heap->list.count > 0);
    struct heap_item *items = heap->list.items, first = items[0];
    struct heap_item last = items[--heap->list.count];
    size_t i = 0, count = heap->list.count;
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && heap_item_before(items[child + 1], items[child]))
            child++;
        if (!heap_item_before(items[child], last))
            break;
        items[i] = items[child];
    }
    items[i] = last;
    return first;
}

#endif
