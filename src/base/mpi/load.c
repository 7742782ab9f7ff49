#include "config.h"

#include "base/mpi/load.h"

#ifdef SILAS_LOADS_MPI

#include <mpi.h>

#include "base/mpi_functions.h"

#include <assert.h>
#include <dlfcn.h>
#include <string.h>

struct mpi_functions mpi_functions;
static bool loaded;

/* One after the other, in the order of the struct, because pointers to them would be relocated
 * whenever a program starts. */
static const char names[] = MPI_FUNCTION_NAMES;

/* Functions of a preloaded tool come before MPI's own, as in a program that is linked with MPI.
 * Those that an older MPI lacks stay NULL. */
static void find_functions(void)
{
    char *place = (char *)&mpi_functions;
    for (const char *name = names; *name; name += strlen(name) + 1) {
        const void *found = dlsym(RTLD_DEFAULT, name);
        memcpy(place, &found, sizeof found);
        place += sizeof found;
    }
    assert(place == (char *)&mpi_functions + sizeof mpi_functions);
    loaded = true;
}

/* A program may call MPI itself, or have a preloaded tool that does. */
__attribute__((constructor)) static void find_loaded_library(void)
{
    if (dlsym(RTLD_DEFAULT, "MPI_Init"))
        find_functions();
}

enum status mpi_load(struct error *error)
{
    if (loaded)
        return STATUS_OK;
    if (!dlopen(SILAS_MPI_LIBRARY, RTLD_LAZY | RTLD_GLOBAL))
        return error_set(error, STATUS_ENVIRONMENT,
                         "MPI cannot start, because the library of %s is not found: %s",
                         SILAS_MPI_TITLE, dlerror());
    find_functions();
    return STATUS_OK;
}

bool mpi_is_loaded(void)
{
    return loaded;
}

#else

enum status mpi_load(struct error *error)
{
    (void)error;
    return STATUS_OK;
}

bool mpi_is_loaded(void)
{
    return true;
}

#endif
