#include "base/descriptors.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

size_t descriptors_count(const void *list)
{
    const void *const *entries = list;
    size_t count = 0;
    while (entries[count])
        count++;
    return count;
}

void *descriptors_with(const void *list, const void *descriptor, size_t behind)
{
    const void *const *old = list;
    const size_t count = descriptors_count(list), place = count - behind;
    const void **copy = malloc((count + 2) * sizeof *copy);
    assert(behind <= count && descriptor);
    if (!copy)
        return NULL;
    memcpy(copy, old, place * sizeof *copy);
    copy[place] = descriptor;
    memcpy(copy + place + 1, old + place, (behind + 1) * sizeof *copy); /* with the NULL */
    return copy;
}
