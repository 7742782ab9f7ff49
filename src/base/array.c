#include "base/array.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool array_reserve_(void **items, size_t *capacity, size_t count, size_t more, size_t size)
{
    assert(size > 0 && count <= *capacity && (*items || *capacity == 0));
    if (more > SIZE_MAX / size - count)
        return false;
    if (count + more <= *capacity)
        return true;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < count + more)
        wanted = count + more;
    if (wanted < 16)
        wanted = 16;
    void *grown = realloc(*items, wanted * size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

bool bytes_put(struct bytes *bytes, const void *data, size_t size)
{
    assert(data || size == 0);
    if (size > bytes->capacity - bytes->size &&
        !array_reserve_((void **)&bytes->data, &bytes->capacity, bytes->size, size, 1))
        return false;
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

bool bytes_print(struct bytes *bytes, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return false;
    bool complete = bytes_put(bytes, text, (size_t)length + 1);
    bytes->size -= complete;
    free(text);
    return complete;
}

void bytes_clear(struct bytes *bytes)
{
    if (bytes->capacity == 0)
        return;
    free(bytes->data);
    *bytes = (struct bytes){0};
}
