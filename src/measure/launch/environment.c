#include "config.h" /* asprintf */

#include "measure/launch/launch.h"

#include "measure/recorder/keeper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libsilas-trace.so"

static bool library_at(const char *folder, const char *below, char *path, size_t size)
{
    snprintf(path, size, "%s%s/" LIBRARY, folder, below);
    return access(path, R_OK) == 0;
}

/* Finds the library of this silas-trace: in .libs in a build folder, in ../lib if the installation
 * was moved, otherwise in the configured library folder. */
static enum status find_library(char *path, size_t size, struct error *error)
{
    char folder[4096];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    if (library_at(folder, "/.libs", path, size) || library_at(folder, "/../lib", path, size) ||
        library_at(SILAS_LIBDIR, "", path, size))
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT,
                     LIBRARY " is neither in %s/../lib nor in " SILAS_LIBDIR
                             ": is SILAS installed completely?",
                     folder);
}

static bool set(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0;
}

/* The library comes after those that the user preloads: sanitizers must be first. */
static bool preload(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    char *value = NULL;
    bool done = asprintf(&value, "%s%s%s", before ? before : "", before && *before ? ":" : "",
                         library) >= 0 &&
                set("LD_PRELOAD", value);
    free(value);
    return done;
}

static bool set_options(const struct launch_options *options, const char *filter)
{
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)options->buffer);
    unsetenv(KEEPER_ENV_BUFFER);
    unsetenv(KEEPER_ENV_FILTER);
    unsetenv(KEEPER_ENV_OVERWRITE);
    return (!options->buffer || set(KEEPER_ENV_BUFFER, number)) &&
           (!filter || set(KEEPER_ENV_FILTER, filter)) &&
           (!options->overwrite || set(KEEPER_ENV_OVERWRITE, "1"));
}

enum status launch_set_environment(const struct launch_options *options, const char *directory,
                                   struct error *error)
{
    char library[4200], *filter = NULL;
    enum status status = find_library(library, sizeof library, error);
    if (status)
        return status;
    if (options->filter) {
        filter = realpath(options->filter, NULL);
        if (!filter || access(filter, R_OK) != 0) {
            free(filter);
            return error_set(error, STATUS_INPUT, "cannot read filter file %s: %s", options->filter,
                             strerror(errno));
        }
    }
    if (!set(KEEPER_ENV_DIRECTORY, directory) || !set_options(options, filter) || !preload(library))
        status = error_memory(error, "the environment");
    free(filter);
    return status;
}
