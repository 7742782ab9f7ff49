#include "base/array.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

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
