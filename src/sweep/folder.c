#include "sweep/folder.h"

#include "base/files.h"
#include "base/paired.h"
#include "sweep/parts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *sweep_folder_path(const struct sweep_folder *folder, const char *format, ...)
{
    char *name = NULL, *path = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&name, format, arguments) < 0)
        name = NULL;
    va_end(arguments);
    if (name && asprintf(&path, "%s/%s", folder->path, name) < 0)
        path = NULL;
    free(name);
    return path;
}

size_t sweep_folder_rounds(const struct sweep_folder *folder)
{
    const struct sweep_options *options = &folder->sweep->options;
    size_t runs = folder->sweep->run_count;
    if (options->repeat > 0)
        return (size_t)options->repeat;
    if (options->engine == SWEEP_MODEL_THEN_REALTIME && runs > (size_t)options->keep)
        runs = (size_t)options->keep;
    return paired_rounds_needed(runs, 0.05);
}

static enum status cannot_write(struct error *error, const char *path)
{
    return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

/* Writes a file of a folder that nobody uses yet. */
static enum status write_file(const char *path, const char *text, struct error *error)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return cannot_write(error, path);
    bool good = fputs(text, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
    int reason = errno;
    good = fclose(file) == 0 && good;
    errno = good ? 0 : reason;
    return good ? STATUS_OK : cannot_write(error, path);
}

/* The run's report goes beside its configuration, and not where the sweep's results go. */
static void drop_directory(struct ini *ini)
{
    struct ini_section *section = ini_find_section(ini, "output");
    size_t kept = 0;
    for (size_t i = 0; section && i < section->entry_count; i++)
        if (strcmp(section->entries[i].key, "directory") != 0 &&
            strcmp(section->entries[i].key, "overwrite") != 0)
            section->entries[kept++] = section->entries[i];
    if (section)
        section->entry_count = kept;
}

/* Makes a folder in `folder`, whose path must be free. */
static enum status make_folder(const struct sweep_folder *folder, const char *name,
                               struct error *error)
{
    char *path = sweep_folder_path(folder, "%s", name);
    enum status status = path ? STATUS_OK : error_memory(error, "the folder of a sweep");
    if (path && mkdir(path, 0777) != 0)
        status = cannot_write(error, path);
    free(path);
    return status;
}

/* Writes a configuration into the folder. */
static enum status write_ini(const struct sweep_folder *folder, const char *name,
                             const struct ini *ini, struct error *error)
{
    char *path = sweep_folder_path(folder, "%s", name), *text = ini_text(ini);
    enum status status =
        path && text ? write_file(path, text, error) : error_memory(error, "the folder of a sweep");
    free(path);
    free(text);
    return status;
}

static enum status write_run(const struct sweep_folder *folder, const struct sweep_run *run,
                             struct error *error)
{
    char name[256];
    struct ini *ini = NULL;
    snprintf(name, sizeof name, "runs/%s", run->name);
    enum status status = make_folder(folder, name, error);
    if (status == STATUS_OK)
        status = ini_copy(run->ini, &ini, error);
    if (status != STATUS_OK)
        return status;
    drop_directory(ini);
    snprintf(name, sizeof name, "runs/%s/config.ini", run->name);
    status = write_ini(folder, name, ini, error);
    ini_destroy(ini);
    return status;
}

/* Fills the new folder. */
static enum status fill(const struct sweep_folder *folder, const struct sweep *sweep,
                        struct error *error)
{
    if (mkdir(folder->path, 0777) != 0)
        return cannot_write(error, folder->path);
    enum status status = make_folder(folder, "runs", error);
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++)
        status = write_run(folder, &sweep->runs[i], error);
    if (status == STATUS_OK)
        status = write_ini(folder, "sweep.ini", sweep->ini, error);
    return status;
}

static bool has_file(const struct sweep_folder *folder, const char *name)
{
    char *path = sweep_folder_path(folder, "%s", name);
    bool has = path && access(path, F_OK) == 0;
    free(path);
    return has;
}

static bool is_sweep(const char *path)
{
    char copy[PATH_MAX];
    const struct sweep_folder folder = {.path = copy};
    return (size_t)snprintf(copy, sizeof copy, "%s", path) < sizeof copy &&
           has_file(&folder, "runs") && has_file(&folder, "sweep.ini");
}

enum status sweep_folder_create(const char *path, const struct sweep *sweep, bool overwrite,
                                struct error *error)
{
    char fresh[PATH_MAX];
    const bool exists = access(path, F_OK) == 0;
    if (strlen(path) + sizeof "/runs/0000000000/config.ini" + 20 > sizeof fresh)
        return error_set(error, STATUS_INPUT, "%s: the path is too long", path);
    if (exists && !is_sweep(path))
        return error_set(error, STATUS_INPUT,
                         "%s exists and is not the folder of a sweep; name another with "
                         "\"directory\" in section [output]",
                         path);
    if (exists && !overwrite)
        return error_set(error, STATUS_INPUT,
                         "%s exists: go on with it by \"silas-sweep resume %s\", or say "
                         "\"overwrite = yes\" in section [output]",
                         path, path);
    snprintf(fresh, sizeof fresh, "%s.%ld.new", path, (long)getpid());
    enum status status = fill(&(struct sweep_folder){.path = fresh}, sweep, error);
    if (status == STATUS_OK && exists && !files_remove_tree(path))
        status = cannot_write(error, path);
    if (status == STATUS_OK && rename(fresh, path) != 0)
        status = cannot_write(error, path);
    if (status != STATUS_OK)
        files_remove_tree(fresh);
    return status;
}

/* The sweep that the folder's files describe. */
static enum status load_sweep(struct sweep_folder *folder, struct error *error)
{
    char *file = sweep_folder_path(folder, "sweep.ini");
    enum status status =
        file ? sweep_load(file, NULL, &folder->sweep, error) : error_memory(error, "the sweep");
    free(file);
    return status;
}

static enum status read_result(const struct sweep_folder *folder, size_t run, const char *below,
                               struct run_result *result, struct error *error)
{
    char *path = sweep_folder_path(folder, "runs/%s%s", folder->sweep->runs[run].name, below);
    run_result_clear(result);
    enum status status =
        path ? run_result_read(path, result, error) : error_memory(error, "the results of a sweep");
    free(path);
    return status;
}

enum status sweep_folder_refresh(struct sweep_folder *folder, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < folder->sweep->run_count && status == STATUS_OK; i++) {
        status = read_result(folder, i, "", &folder->results[i], error);
        if (status == STATUS_OK)
            status = read_result(folder, i, "/model", &folder->models[i], error);
    }
    return status;
}

enum status sweep_folder_open(const char *path, struct sweep_folder **folder, struct error *error)
{
    if (!is_sweep(path))
        return error_set(error, STATUS_INPUT,
                         "%s is not the folder of a sweep (a folder that silas-sweep has made)",
                         path);
    struct sweep_folder *fresh = calloc(1, sizeof *fresh);
    if (fresh)
        fresh->path = realpath(path, NULL);
    enum status status =
        fresh && fresh->path ? load_sweep(fresh, error) : error_memory(error, "the sweep");
    if (status == STATUS_OK) {
        fresh->results = calloc(fresh->sweep->run_count + 1, sizeof *fresh->results);
        fresh->models = calloc(fresh->sweep->run_count + 1, sizeof *fresh->models);
        if (!fresh->results || !fresh->models)
            status = error_memory(error, "the sweep");
    }
    if (status == STATUS_OK)
        status = sweep_folder_refresh(fresh, error);
    if (status == STATUS_OK)
        status = sweep_parts_read(fresh, error);
    if (status == STATUS_OK)
        *folder = fresh;
    else
        sweep_folder_close(fresh);
    return status;
}

void sweep_folder_close(struct sweep_folder *folder)
{
    if (!folder)
        return;
    for (size_t i = 0; folder->results && folder->models && i < folder->sweep->run_count; i++) {
        run_result_clear(&folder->results[i]);
        run_result_clear(&folder->models[i]);
    }
    sweep_parts_clear(folder);
    free(folder->results);
    free(folder->models);
    sweep_destroy(folder->sweep);
    free(folder->path);
    free(folder);
}
