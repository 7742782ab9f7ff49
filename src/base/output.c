#include "base/output.h"

#include "base/files.h"
#include "base/interrupt.h"
#include "base/names.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
    char *path;      /* of the directory */
    char *temporary; /* its path while it is filled */
    char *former;    /* where a former output is until the new one is in its place */
    bool overwrite;
};

static bool is_open; /* one output at a time, because a signal removes only one directory */

static void output_free(struct output *output)
{
    free(output->path);
    free(output->temporary);
    free(output->former);
    free(output);
}

/* "path.word-1234", without trailing slashes of the path. */
static char *name_beside(const char *path, const char *word)
{
    char *name = NULL;
    int length = (int)strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (asprintf(&name, "%.*s.%s-%ld", length, path, word, (long)getpid()) < 0)
        return NULL;
    return name;
}

static bool is_own(const char *name, const char *const *own)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return true;
    for (; *own; own++)
        if (name_matches(*own, name))
            return true;
    return false;
}

static enum status check_former(const char *path, const char *const *own, struct error *error)
{
    enum status status = STATUS_OK;
    DIR *directory = opendir(path);
    if (!directory)
        return error_set(error, errno == ENOTDIR ? STATUS_INPUT : STATUS_ENVIRONMENT,
                         "cannot overwrite %s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory)) && status == STATUS_OK;)
        if (!is_own(entry->d_name, own))
            status = error_set(error, STATUS_INPUT,
                               "will not overwrite %s: it contains \"%s\", so it is not a former "
                               "output; choose another directory",
                               path, entry->d_name);
    closedir(directory);
    return status;
}

static enum status check_output_place(const char *path, bool overwrite, const char *remedy,
                                      const char *const *own, struct error *error)
{
    struct stat place;
    if (lstat(path, &place) != 0) {
        if (errno == ENOENT)
            return STATUS_OK;
        return error_set(error, STATUS_ENVIRONMENT, "cannot write to %s: %s", path,
                         strerror(errno));
    }
    if (!overwrite)
        return error_set(error, STATUS_INPUT,
                         "output directory %s exists; remove it, or choose another directory%s",
                         path, remedy);
    return check_former(path, own, error);
}

enum status output_open(const char *path, bool overwrite, const char *remedy,
                        const char *const *own, struct output **result, struct error *error)
{
    assert(*path && !is_open);
    *result = NULL;
    enum status status = check_output_place(path, overwrite, remedy, own, error);
    if (status != STATUS_OK)
        return status;
    struct output *output = calloc(1, sizeof *output);
    if (!output)
        return error_memory(error, "the output");
    output->overwrite = overwrite;
    output->path = strdup(path);
    output->temporary = name_beside(path, "partial");
    output->former = name_beside(path, "former");
    if (!output->path || !output->temporary || !output->former) {
        status = error_memory(error, "the output");
        goto free_output;
    }
    interrupt_hold();
    if (mkdir(output->temporary, 0777) == 0)
        interrupt_remove(output->temporary);
    else
        status =
            error_set(error, STATUS_ENVIRONMENT, "cannot write to %s: %s", path, strerror(errno));
    interrupt_release();
    if (status != STATUS_OK)
        goto free_output;
    is_open = true;
    *result = output;
    return STATUS_OK;

free_output:
    output_free(output);
    return status;
}

const char *output_directory(const struct output *output)
{
    return output->temporary;
}

enum status output_path(const char *directory, const char *name, char *path, struct error *error)
{
    if (snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "the output directory's name is too long: %s", directory);
}

/* Moves the former output away and the new one into its place, without an interruption between. */
static int put_in_place(const struct output *output)
{
    interrupt_hold();
    bool had_former = output->overwrite && rename(output->path, output->former) == 0;
    int failed = rename(output->temporary, output->path), cause = errno;
    if (failed && had_former)
        rename(output->former, output->path);
    if (!failed)
        interrupt_remove(NULL);
    interrupt_release();
    errno = cause;
    return failed;
}

/* Leaves the directories as they are. */
static void output_release(struct output *output)
{
    interrupt_remove(NULL);
    is_open = false;
    output_free(output);
}

enum status output_commit(struct output *output, struct error *error)
{
    if (!output)
        return STATUS_OK;
    if (put_in_place(output) == 0) {
        if (output->overwrite)
            files_remove_tree(output->former);
        output_release(output);
        return STATUS_OK;
    }
    if (!output->overwrite && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)) {
        error_set(error, STATUS_INPUT,
                  "%s was made by another program meanwhile; the output is in %s", output->path,
                  output->temporary);
        output_release(output);
        return STATUS_INPUT;
    }
    error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", output->path, strerror(errno));
    output_discard(output);
    return STATUS_ENVIRONMENT;
}

void output_discard(struct output *output)
{
    if (!output)
        return;
    files_remove_tree(output->temporary);
    output_release(output);
}
