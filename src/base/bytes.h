/* A block of bytes that grows at its end. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

struct bytes { /* all zero: empty */
    char *data;
    size_t size, capacity;
};

/* Appends `size` bytes, which may be 0. False when memory is out; the block is unchanged then. */
bool bytes_put(struct bytes *bytes, const void *data, size_t size);

/* Frees the block and leaves it empty. Does not write to an empty block, so that the unused pages
 * of a large array of blocks are never touched. */
void bytes_clear(struct bytes *bytes);

#endif
