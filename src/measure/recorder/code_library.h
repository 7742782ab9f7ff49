/* The library that has a piece of code. */
#ifndef MEASURE_CODE_LIBRARY_H
#define MEASURE_CODE_LIBRARY_H

#include "base/files.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* True if the name of the library or program that has the code at an address, without its folder,
 * begins with one of these. */
static inline bool code_library_begins(const void *address, const char *const *names, size_t count)
{
    Dl_info object;
    if (!dladdr(address, &object) || !object.dli_fname)
        return false;
    const char *name = files_base_name(object.dli_fname);
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

#endif
