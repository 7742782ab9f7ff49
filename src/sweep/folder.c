#include "sweep/folder.h"

#include "base/files.h"
#include "base/paired.h"
#include "report/report_file.h"
#include "sweep/part_file.h"
#include "sweep/savings.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest path below the folder, with the suffix of a temporary file. */
static const size_t LONGEST_NAME =
    sizeof "/runs/1000000/model/result.json.part.18446744073709551615";

static const double LEVEL = 0.05; /* at which the first of all runs can be significant */

struct folder_path sweep_folder_path(const struct sweep_folder *folder, const char *format, ...)
{
    struct folder_path path;
    va_list arguments;
    size_t length = (size_t)snprintf(path.text, sizeof path.text, "%s/", folder->path);
    assert(length < sizeof path.text);
    va_start(arguments, format);
    length += (size_t)vsnprintf(path.text + length, sizeof path.text - length, format, arguments);
    va_end(arguments);
    assert(length < sizeof path.text);
    return path;
}

bool sweep_folder_has(const struct sweep_folder *folder, const char *name)
{
    return access(sweep_folder_path(folder, "%s", name).text, F_OK) == 0;
}

size_t sweep_folder_rounds(const struct sweep_folder *folder)
{
    const struct sweep_options *options = &folder->sweep->options;
    size_t runs = folder->sweep->run_count;
    if (options->repeat > 0)
        return (size_t)options->repeat;
    if (options->engine == SWEEP_MODEL_THEN_REALTIME && runs > (size_t)options->keep)
        runs = (size_t)options->keep;
    return paired_rounds_needed(runs, LEVEL);
}

bool sweep_folder_may_stop(const struct sweep_folder *folder)
{
    return folder->sweep->options.repeat == 0;
}

static enum status folder_write_error(struct error *error, const char *path)
{
    return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

static enum status make_directory(const char *path, struct error *error)
{
    return mkdir(path, 0777) == 0 ? STATUS_OK : folder_write_error(error, path);
}

/* Returns false when out of memory or if writing fails. */
static bool print_ini(const void *ini, FILE *stream)
{
    char *text = ini_text(ini);
    const bool printed = text && fputs(text, stream) != EOF;
    free(text);
    return printed;
}

static enum status write_run_config(const struct sweep_folder *folder, const struct sweep_run *run,
                                    struct error *error)
{
    return make_directory(sweep_folder_path(folder, "runs/%s", run->name).text, error)
               ?: report_file_write(sweep_folder_path(folder, "runs/%s/config.ini", run->name).text,
                                    print_ini, run->ini, error);
}

static enum status write_new_folder(const struct sweep_folder *folder,
                                    const struct sweep_plan *sweep, struct error *error)
{
    enum status status = make_directory(folder->path, error)
                             ?: make_directory(sweep_folder_path(folder, "runs").text, error);
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++)
        status = write_run_config(folder, &sweep->runs[i], error);
    return status
               ?: report_file_write(sweep_folder_path(folder, "sweep.ini").text, print_ini,
                                    sweep->ini, error);
}

static bool is_sweep_folder(const char *path)
{
    const struct sweep_folder folder = {.path = (char *)path};
    return sweep_folder_has(&folder, "runs") && sweep_folder_has(&folder, "sweep.ini");
}

static enum status check_length(const char *path, struct error *error)
{
    return strlen(path) + LONGEST_NAME < PATH_MAX
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: the path of the sweep's folder is too long",
                           path);
}

/* Moves the complete folder `fresh` to its place. A former sweep there moves into it, and back if
 * that fails. */
static enum status take_place(const struct sweep_folder *fresh, const char *path,
                              struct error *error)
{
    const struct folder_path replaced = sweep_folder_path(fresh, "replaced");
    const bool exists = access(path, F_OK) == 0;
    if (exists && rename(path, replaced.text) != 0)
        return folder_write_error(error, path);
    if (rename(fresh->path, path) == 0)
        return STATUS_OK;
    enum status status = folder_write_error(error, path);
    if (exists)
        rename(replaced.text, path);
    return status;
}

enum status sweep_folder_create(const char *path, const struct sweep_plan *sweep, bool overwrite,
                                struct error *error)
{
    assert(path && sweep->run_count > 0);
    char name[PATH_MAX];
    const bool exists = access(path, F_OK) == 0;
    enum status status = check_length(path, error);
    if (status != STATUS_OK)
        return status;
    if (exists && !is_sweep_folder(path))
        return error_set(error, STATUS_INPUT,
                         "%s exists and is not the folder of a sweep; name another one with "
                         "--output, or \"directory\" in section [output]",
                         path);
    if (exists && !overwrite)
        return error_set(error, STATUS_INPUT,
                         "%s exists: resume that sweep with \"silas-sweep resume %s\", or replace "
                         "it with --overwrite",
                         path, path);
    snprintf(name, sizeof name, "%s.%ld.new", path, (long)getpid());
    const struct sweep_folder fresh = {.path = name};
    status = write_new_folder(&fresh, sweep, error) ?: take_place(&fresh, path, error);
    if (status != STATUS_OK)
        files_remove_tree(name);
    return status;
}

/* Model results of a sweep of replays are made before the first replay, so they do not count. */
static bool has_results(const struct sweep_folder *folder)
{
    const bool computes = folder->sweep->options.engine == SWEEP_MODEL;
    for (size_t i = 0; i < folder->sweep->run_count; i++)
        if (folder->results[i].state != RUN_OPEN &&
            (computes || !result_is_computed(&folder->results[i])))
            return true;
    return false;
}

bool sweep_folder_has_begun(const struct sweep_folder *folder)
{
    for (size_t i = 0; i < folder->sweep->run_count; i++)
        if (folder->results[i].state != RUN_OPEN || folder->models[i].state != RUN_OPEN)
            return true;
    return sweep_folder_has(folder, "parts.json");
}

bool sweep_folder_settle(const struct sweep_folder *folder, bool submitted)
{
    const struct folder_path replaced = sweep_folder_path(folder, "replaced");
    char aside[PATH_MAX];
    if (!sweep_folder_has(folder, "replaced"))
        return false;
    if (submitted || has_results(folder)) {
        files_remove_tree(replaced.text);
        return false;
    }
    snprintf(aside, sizeof aside, "%s.%ld.old", folder->path, (long)getpid());
    return rename(replaced.text, aside) == 0 && files_remove_tree(folder->path) &&
           rename(aside, folder->path) == 0;
}

enum status sweep_folder_refresh(struct sweep_folder *folder, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < folder->sweep->run_count && status == STATUS_OK; i++) {
        const char *name = folder->sweep->runs[i].name;
        run_result_clear(&folder->results[i]);
        run_result_clear(&folder->models[i]);
        status = run_result_read(sweep_folder_path(folder, "runs/%s/" RESULT_FILE, name).text,
                                 &folder->results[i], error)
                     ?: run_result_read(
                            sweep_folder_path(folder, "runs/%s/model/" RESULT_FILE, name).text,
                            &folder->models[i], error);
    }
    return status;
}

/* Reads the sweep, its results and its parts. */
static enum status read_folder(struct sweep_folder *folder, struct error *error)
{
    struct ini *ini = NULL;
    enum status status =
        check_length(folder->path, error)
            ?: sweep_read_file(sweep_folder_path(folder, "sweep.ini").text, NULL, &ini, error)
            ?: sweep_load(ini, &folder->sweep, error);
    if (status != STATUS_OK)
        return status;
    folder->results = calloc(folder->sweep->run_count + 1, sizeof *folder->results);
    folder->models = calloc(folder->sweep->run_count + 1, sizeof *folder->models);
    if (!folder->results || !folder->models)
        return error_memory(error, "the results of a sweep");
    return sweep_folder_refresh(folder, error)
               ?: sweep_parts_read(folder, sweep_folder_path(folder, "parts.json").text, error);
}

enum status sweep_folder_open(const char *path, struct sweep_folder **folder, struct error *error)
{
    if (strlen(path) + LONGEST_NAME >= PATH_MAX || !is_sweep_folder(path))
        return error_set(error, STATUS_INPUT,
                         "%s is not the folder of a sweep, which silas-sweep makes", path);
    struct sweep_folder *fresh = calloc(1, sizeof *fresh);
    if (fresh)
        fresh->path = realpath(path, NULL);
    enum status status =
        fresh && fresh->path ? read_folder(fresh, error) : error_memory(error, "the sweep");
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
