#include "base/descriptors.h"

#include <assert.h>
#include <stdio.h>
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

const char *descriptors_names(const void *list)
{
    static char text[1024];
    size_t used = 0;
    text[0] = '\0';
    for (const void *const *entry = list; *entry && used < sizeof text; entry++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 entry == (const void *const *)list ? "" : " ",
                                 *(const char *const *)*entry);
    return text;
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
