#include "base/installation.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool installation_file(const char *name, char *path, size_t size)
{
    assert(name[0] != '/' && size > 0);
    char folder[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
        snprintf(path, size, "%s/.libs", folder);
        if (access(path, X_OK) == 0) {
            snprintf(path, size, "%s/.libs/%s", folder, name);
            return access(path, R_OK) == 0;
        }
        snprintf(path, size, "%s/%s", folder, name);
        if (access(path, R_OK) == 0)
            return true;
        snprintf(path, size, "%s/../lib/%s", folder, name);
        if (access(path, R_OK) == 0)
            return true;
    }
    snprintf(path, size, SILAS_LIBDIR "/%s", name);
    return access(path, R_OK) == 0;
}

bool installation_part_file(const struct mpi_kind *kind, const char *name, char *path, size_t size)
{
    char part[NAME_MAX];
    snprintf(part, sizeof part, "silas/%s/%s", kind->folder, name);
    return installation_file(part, path, size);
}

const char *installation_part_title(const struct mpi_kind *kind)
{
    static char title[100];
    char path[PATH_MAX];
    FILE *file =
        installation_part_file(kind, "title", path, sizeof path) ? fopen(path, "re") : NULL;
    const bool found = file && fgets(title, sizeof title, file);
    if (file)
        fclose(file);
    title[strcspn(title, "\n")] = '\0';
    return found ? title : NULL;
}

const char *installation_titles(void)
{
    static char titles[200];
    char path[PATH_MAX];
    const bool own = installation_file(INSTALLATION_TRACER, path, sizeof path);
    const char *other = installation_part_title(mpi_kind_other);
    snprintf(titles, sizeof titles, "%s%s%s", own ? mpi_kind_title : "",
             own && other ? " and " : "", other ? other : "");
    return titles[0] ? titles : NULL;
}

void installation_become_part(const char *program, char **argv)
{
    assert(!strchr(program, '/'));
    char path[PATH_MAX];
    if (mpi_kind_of_launcher() == mpi_kind_other &&
        installation_part_file(mpi_kind_other, program, path, sizeof path))
        execv(path, argv);
}
