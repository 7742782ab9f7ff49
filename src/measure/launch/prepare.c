/* The folder of the archive and the environment of the traced process. */
#include "config.h" /* asprintf */

#include "measure/launch/launch.h"

#include "measure/launch/openmp_runtime.h"

#include "measure/archive/archive.h"
#include "measure/recorder/keeper.h"
#include "measure/recorder/record_path.h"

#include "base/log.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

/* Makes a folder and returns its real path, which the caller frees; NULL on failure, with errno.
 * Tries several times, because the keeper of another rank removes the folder if nothing was
 * recorded. */
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

static bool folder_has(const char *directory, const char *name)
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
    if (!folder_has(directory, "records"))
        return STATUS_OK;
    if (!options->overwrite)
        return error_set(error, STATUS_INPUT,
                         "%s has the records of a run without an archive: write the archive with "
                         "silas-trace --recover %s, choose another folder with -o, or use "
                         "--overwrite",
                         options->output, options->output);
    if (!options->first_rank)
        return STATUS_OK;
    int hold = archive_hold(directory, true);
    if (hold < 0)
        return error_set(error, STATUS_INPUT, "%s: another run is being recorded there",
                         options->output);
    enum status status = archive_remove_tree(record_path(directory, "").text, error);
    close(hold);
    return status;
}

/* Fails if the disk has no room for the first buffer, because the program would then run to its end
 * without being traced. Removes the folder if it is empty. */
static enum status check_room(const struct launch_options *options, const char *directory,
                              struct error *error)
{
    struct statvfs disk;
    uint64_t buffer = options->buffer ? options->buffer : KEEPER_DEFAULT_BUFFER;
    if (statvfs(directory, &disk) != 0 || disk.f_blocks == 0)
        return STATUS_OK; /* the recorder will fail if the disk is full */
    uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (room >= buffer)
        return STATUS_OK;
    rmdir(directory);
    return error_set(
        error, STATUS_ENVIRONMENT,
        "%s: the disk has %.1f MB left, but each rank needs a buffer of %.1f MB for its "
        "events: make room, choose another folder with -o, or a smaller --buffer",
        options->output, (double)room * 1e-6, (double)buffer * 1e-6);
}

enum status launch_prepare_directory(const struct launch_options *options, char *path, size_t size,
                                     struct error *error)
{
    assert(options->output && size > 0);
    char *real = make_real_folder(options->output);
    struct stat status = {.st_mode = S_IFDIR};
    if (!real || strlen(real) >= size || stat(real, &status) != 0 || !S_ISDIR(status.st_mode) ||
        access(real, W_OK | X_OK) != 0) {
        int code = S_ISDIR(status.st_mode) ? errno : ENOTDIR;
        free(real);
        return error_set(error, STATUS_ENVIRONMENT, "cannot write to folder %s: %s",
                         options->output, strerror(code));
    }
    snprintf(path, size, "%s", real);
    free(real);
    if (folder_has(path, ARCHIVE_NAME ".otf2") && !options->overwrite)
        return error_set(error, STATUS_INPUT,
                         "%s already has an archive: choose another folder with -o, or use "
                         "--overwrite",
                         options->output);
    enum status result = check_records(options, path, error);
    if (!result)
        result = check_room(options, path, error);
    return result;
}

static bool set_variable(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0;
}

/* Whether a library is the run-time library of a sanitizer (libasan.so.8,
 * libclang_rt.asan-x86_64.so), which must be loaded before all others. */
static bool is_sanitizer(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    return strncmp(name, "lib", 3) == 0 && strstr(name, "san") != NULL;
}

/* A library that the user preloads and that wraps MPI itself. The tracer calls the PMPI functions:
 * of the library, if it defines these, too. */
static void note_other_tool(const char *library)
{
    struct own_mpi_functions own = launch_own_mpi_functions(library);
    if (own.count > own.below)
        log_note(
            "%s, which is preloaded, too, defines %u MPI function%s (%s%s): apart from MPI_Init "
            "and MPI_Finalize, it does not see the calls that the tracer records",
            library, own.count, own.count > 1 ? "s" : "", own.example,
            own.count > 1 ? ", ..." : "");
}

/* The tracer's library comes after sanitizers and before all others that the user preloads, so that
 * it sees the program's calls of MPI where another one wraps them, too. */
static bool preload(const struct launch_options *options, const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    char *others = strdup(before ? before : ""), *rest = others, *name;
    char *first = strdup(""), *last = strdup(""), *value = NULL;
    bool done = others && first && last;
    while (done && (name = strsep(&rest, ": "))) {
        char *joined = NULL, **list = is_sanitizer(name) ? &first : &last;
        if (!*name)
            continue;
        if (list == &last && options->first_rank)
            note_other_tool(name);
        done = asprintf(&joined, list == &first ? "%s%s:" : "%s:%s", *list, name) >= 0;
        if (done) {
            free(*list);
            *list = joined;
        }
    }
    done = done &&
           asprintf(&value, "%s%s%s%s", first, library, options->openmp ? ":" OPENMP_RUNTIME : "",
                    last) >= 0 &&
           set_variable("LD_PRELOAD", value);
    free(others);
    free(first);
    free(last);
    free(value);
    return done;
}

static bool set_options(const struct launch_options *options, const char *filter)
{
    const char *sites = options->no_call_sites || options->compatible ? "never"
                        : options->call_sites                         ? "always"
                                                                      : NULL;
    char number[32], world[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)options->buffer);
    unsetenv(KEEPER_ENV_BUFFER);
    unsetenv(KEEPER_ENV_EVERY);
    unsetenv(KEEPER_ENV_FILTER);
    unsetenv(KEEPER_ENV_SITES);
    unsetenv(KEEPER_ENV_OVERWRITE);
    unsetenv(KEEPER_ENV_OPENMP);
    unsetenv(KEEPER_ENV_PTHREAD);
    unsetenv(KEEPER_ENV_PYTHON);
    unsetenv(KEEPER_ENV_REDUCE);
    unsetenv(KEEPER_ENV_SCALASCA);
    unsetenv(KEEPER_ENV_WORLD);
    snprintf(world, sizeof world, "%u", options->world);
    return (!options->buffer || set_variable(KEEPER_ENV_BUFFER, number)) &&
           (!(options->every_test || options->compatible) || set_variable(KEEPER_ENV_EVERY, "1")) &&
           (!sites || set_variable(KEEPER_ENV_SITES, sites)) &&
           (!options->openmp || set_variable(KEEPER_ENV_OPENMP, "1")) &&
           (!options->pthreads || set_variable(KEEPER_ENV_PTHREAD, "1")) &&
           (!options->python || set_variable(KEEPER_ENV_PYTHON, "1")) &&
           (!options->reduce || set_variable(KEEPER_ENV_REDUCE, "1")) &&
           (!options->compatible || set_variable(KEEPER_ENV_SCALASCA, "1")) &&
           (!filter || set_variable(KEEPER_ENV_FILTER, filter)) &&
           (options->world == 0 || set_variable(KEEPER_ENV_WORLD, world)) &&
           (!options->overwrite || set_variable(KEEPER_ENV_OVERWRITE, "1"));
}

enum status launch_check_filter(const struct launch_options *options, struct error *error)
{
    struct stat about;
    if (!options->filter)
        return STATUS_OK;
    if (stat(options->filter, &about) == 0 && S_ISDIR(about.st_mode))
        errno = EISDIR;
    else if (access(options->filter, R_OK) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "cannot read filter file %s: %s", options->filter,
                     strerror(errno));
}

/* Tells the tracer how to start a program that MPI_Comm_spawn is to start: with the same options,
 * and with paths that do not depend on the current folder. */
static bool set_command(char *const *command, char *const *program, const char *directory,
                        const char *filter)
{
    char own[PATH_MAX], *text = NULL;
    size_t size = 0;
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    FILE *stream = length > 0 ? open_memstream(&text, &size) : NULL;
    unsetenv(KEEPER_ENV_COMMAND);
    if (!stream)
        return false;
    fprintf(stream, "%.*s\n", (int)length, own);
    bool lines = true; /* no argument contains the end of a line */
    for (char *const *option = command + 1; option < program; option++) {
        lines = lines && !strchr(*option, '\n');
        fprintf(stream, "%s\n", *option);
    }
    if (filter)
        fprintf(stream, "--filter\n%s\n", filter);
    fprintf(stream, "-o\n%s", directory);
    const bool done = fclose(stream) == 0 && (!lines || set_variable(KEEPER_ENV_COMMAND, text));
    free(text);
    return done;
}

enum status launch_set_environment(const struct launch_options *options, char *const *command,
                                   const struct launch_target *target, const char *directory,
                                   struct error *error)
{
    assert(directory[0] == '/' && target->library[0]);
    char *filter = NULL;
    enum status status = STATUS_OK;
    if (options->openmp && (status = openmp_runtime_check(error)) != STATUS_OK)
        return status;
    if (options->filter && !(filter = realpath(options->filter, NULL)))
        return error_memory(error, "the path of the filter file");
    if (!set_variable(KEEPER_ENV_DIRECTORY, directory) || !set_options(options, filter) ||
        !set_command(command, options->program, directory, filter) ||
        !preload(options, target->library))
        status = error_memory(error, "the environment");
    unsetenv(KEEPER_ENV_TEAMS);
    unsetenv(KEEPER_ENV_THREADS);
    if (status == STATUS_OK && options->openmp && options->first_rank && options->world == 0) {
        const struct openmp_measurement measured = openmp_runtime_measure();
        set_variable(KEEPER_ENV_TEAMS, measured.costs);
        set_variable(KEEPER_ENV_THREADS, measured.threads);
    }
    free(filter);
    return status;
}
