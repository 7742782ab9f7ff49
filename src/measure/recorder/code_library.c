#include "config.h" /* dladdr */

#include "measure/recorder/code_library.h"

#include "base/files.h"

#include <dlfcn.h>
#include <string.h>

bool code_library_begins(const void *address, const char *const *names, size_t count)
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
