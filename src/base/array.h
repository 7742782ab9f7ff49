/* Arrays that grow. An all-zero array is empty; free(array.items) frees its memory. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY(type)             \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/* Makes room for `more` further items. False if out of memory; the array is unchanged then. */
#define array_reserve(array, more)                                                       \
    array_reserve_((void **)&(array)->items, &(array)->capacity, (array)->count, (more), \
                   sizeof *(array)->items)

/* Appends one item. False if out of memory; the array is unchanged then. */
#define array_push(array, item)                                           \
    (((array)->count < (array)->capacity || array_reserve((array), 1)) && \
     ((array)->items[(array)->count++] = (item), true))

/* For the macros only. */
bool array_reserve_(void **items, size_t *capacity, size_t count, size_t more, size_t size);

/* A block of bytes that grows at its end. */
struct bytes { /* all zero: empty */
    char *data;
    size_t size, capacity;
};

/* Appends `size` bytes, which may be 0. False if out of memory; the block is unchanged then. */
bool bytes_put(struct bytes *bytes, const void *data, size_t size);

/* Appends a text as printf formats it. A zero byte follows, which does not count. False when memory
 * is out; the block is unchanged then. */
bool bytes_print(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Frees the block and leaves it empty. Does not write to an empty block, so that the unused pages
 * of a large array of blocks are never touched. */
void bytes_clear(struct bytes *bytes);

#endif
