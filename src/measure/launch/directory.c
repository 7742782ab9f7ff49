#include "measure/launch/launch.h"

#include "measure/archive/archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes a folder and its parents, as other ranks may do at the same time. */
static bool make_folders(const char *path)
{
    char part[4096];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(part, 0777);
        *at = '/';
    }
    return mkdir(part, 0777) == 0 || errno == EEXIST;
}

/* Makes a folder and returns its real path, which the caller frees; NULL on failure, with errno. It
 * tries again, because the keeper of another rank removes the folder if nothing was recorded. */
static char *make_real_folder(const char *path)
{
    char *real = NULL;
    for (int i = 0; i < 10 && !real && make_folders(path); i++) {
        real = realpath(path, NULL);
        if (!real && errno != ENOENT)
            break;
    }
    return real;
}

static bool exists(const char *directory, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

/* Handles the records of an earlier run. This run has none yet: no rank reaches the end of MPI_Init
 * before all ranks have passed here. */
static enum status check_records(const struct launch_options *options, const char *directory,
                                 struct error *error)
{
    char records[4200];
    if (!exists(directory, "records"))
        return STATUS_OK;
    if (!options->overwrite)
        return error_set(error, STATUS_INPUT,
                         "%s holds a run that has no archive yet: write it with silas-trace "
                         "--recover %s, give another folder with -o, or --overwrite",
                         options->output, options->output);
    if (!options->first_rank)
        return STATUS_OK;
    int hold = archive_hold(directory, true);
    if (hold < 0)
        return error_set(error, STATUS_INPUT, "%s: another run is being recorded there",
                         options->output);
    snprintf(records, sizeof records, "%s/records", directory);
    enum status status = archive_remove_tree(records, error);
    close(hold);
    return status;
}

enum status launch_prepare_directory(const struct launch_options *options, char *path, size_t size,
                                     struct error *error)
{
    char *real = make_real_folder(options->output);
    struct stat status;
    if (!real || strlen(real) >= size || stat(real, &status) != 0 || !S_ISDIR(status.st_mode) ||
        access(real, W_OK | X_OK) != 0) {
        int code = real && errno == 0 ? ENOTDIR : errno;
        free(real);
        return error_set(error, STATUS_ENVIRONMENT, "cannot write to folder %s: %s",
                         options->output, strerror(code));
    }
    strcpy(path, real);
    free(real);
    if (exists(path, ARCHIVE_NAME ".otf2") && !options->overwrite)
        return error_set(error, STATUS_INPUT,
                         "%s holds an archive already: give another folder with -o, or "
                         "--overwrite",
                         options->output);
    return check_records(options, path, error);
}
