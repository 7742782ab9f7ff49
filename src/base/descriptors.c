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

static const char *name_of(const void *entry)
{
    return *(const char *const *)entry;
}

static const char *join_names(const void *list, const char *separator, const char *last)
{
    static char text[1024];
    size_t used = 0;
    text[0] = '\0';
    const void *const *entries = list;
    for (size_t i = 0; entries[i] && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i == 0           ? ""
                                 : entries[i + 1] ? separator
                                                  : last,
                                 name_of(entries[i]));
    return text;
}

const char *descriptors_names(const void *list)
{
    return join_names(list, " ", " ");
}

const char *descriptors_choice(const void *list)
{
    return join_names(list, ", ", " or ");
}

const void *descriptors_find(const void *list, const char *name)
{
    for (const void *const *entry = list; *entry; entry++)
        if (strcmp(name_of(*entry), name) == 0)
            return *entry;
    return NULL;
}

void *descriptors_with(const void *list, const void *descriptor, size_t after)
{
    const void *const *old = list;
    const size_t count = descriptors_count(list), place = count - after;
    const void **copy = malloc((count + 2) * sizeof *copy);
    assert(after <= count && descriptor);
    if (!copy)
        return NULL;
    memcpy(copy, old, place * sizeof *copy);
    copy[place] = descriptor;
    memcpy(copy + place + 1, old + place, (after + 1) * sizeof *copy); /* with the NULL */
    return copy;
}
