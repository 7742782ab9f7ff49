#include "base/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool bytes_put(struct bytes *bytes, const void *data, size_t size)
{
    assert(data || size == 0);
    if (bytes->capacity - bytes->size < size) {
        size_t capacity = 2 * bytes->capacity + size + 256;
        char *grown = realloc(bytes->data, capacity);
        if (!grown)
            return false;
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

void bytes_clear(struct bytes *bytes)
{
    if (bytes->capacity == 0)
        return;
    free(bytes->data);
    *bytes = (struct bytes){0};
}
