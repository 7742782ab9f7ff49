/* Checks whether a program can be traced: it must load MPICH's shared library when it starts. */
#include "config.h" /* posix_spawn's file actions */

#include "measure/launch/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool find_in_path(const char *program, char *path, size_t size)
{
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, size, "%.*s%s%s", (int)length, at, length ? "/" : "./", program);
        if (is_program(path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static enum status find_program(const char *program, char *path, size_t size, struct error *error)
{
    if (!strchr(program, '/')) {
        if (find_in_path(program, path, size))
            return STATUS_OK;
        return error_set(error, STATUS_INPUT, "%s: no such program in PATH", program);
    }
    snprintf(path, size, "%s", program);
    if (is_program(path))
        return STATUS_OK;
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, STATUS_INPUT, "%s: %s", program, strerror(errno));
    return error_set(error, STATUS_INPUT, "%s: not an executable file", program);
}

/* --- executables -------------------------------------------------------------------------------
 */

enum linkage { LINKAGE_OTHER /* e.g. a script */, LINKAGE_STATIC, LINKAGE_DYNAMIC };

/* A program without an ELF interpreter is linked statically: nothing can be preloaded. */
static enum linkage linkage_of(const char *path)
{
    ElfW(Ehdr) header;
    FILE *file = fopen(path, "rbe");
    enum linkage linkage = LINKAGE_OTHER;
    if (!file)
        return linkage;
    if (fread(&header, sizeof header, 1, file) == 1 && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
        linkage = LINKAGE_STATIC;
    for (unsigned i = 0; linkage == LINKAGE_STATIC && i < header.e_phnum; i++) {
        ElfW(Phdr) part;
        if (fseek(file, (long)(header.e_phoff + i * (size_t)header.e_phentsize), SEEK_SET) != 0 ||
            fread(&part, sizeof part, 1, file) != 1)
            break;
        if (part.p_type == PT_INTERP)
            linkage = LINKAGE_DYNAMIC;
    }
    fclose(file);
    return linkage;
}

/* The environment that makes the dynamic loader list the libraries instead of running the program.
 * The caller frees it; NULL when memory is out. */
static char **listing_environment(void)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **copy = malloc((count + 2) * sizeof *copy);
    if (copy) {
        memcpy(copy, environ, count * sizeof *copy);
        copy[count] = "LD_TRACE_LOADED_OBJECTS=1";
        copy[count + 1] = NULL;
    }
    return copy;
}

static pid_t spawn_listing(const char *path, int output)
{
    pid_t child = -1;
    char *arguments[] = {(char *)path, NULL};
    char **environment = listing_environment();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!environment || posix_spawn(&child, path, &actions, NULL, arguments, environment) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return child;
}

/* Whether the program loads a library of Open MPI, directly or through another library; its name is
 * written into `library`. MPICH and its derivatives are libmpich.so.12 or libmpi.so.12. */
static bool loads_open_mpi(const char *path, char *library, size_t size)
{
    static const char *const names[] = {"libmpi.so.40", "libmpi.so.20", "libopen-rte.so",
                                        "libopen-pal.so"};
    int ends[2];
    bool found = false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = spawn_listing(path, ends[1]);
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    char line[4096];
    while (child > 0 && list && fgets(line, sizeof line, list)) {
        for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++) {
            if (!strstr(line, names[i]))
                continue;
            snprintf(library, size, "%s", names[i]);
            found = true;
        }
    }
    if (list)
        fclose(list);
    else
        close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return found;
}

enum status launch_check_program(const char *program, char *path, size_t size, struct error *error)
{
    char library[64];
    enum status status = find_program(program, path, size, error);
    if (status)
        return status;
    enum linkage linkage = linkage_of(path);
    if (linkage == LINKAGE_STATIC)
        return error_set(error, STATUS_INPUT,
                         "%s is linked statically, so its MPI calls cannot be seen; link it with "
                         "MPICH's shared library",
                         path);
    if (linkage == LINKAGE_DYNAMIC && loads_open_mpi(path, library, sizeof library))
        return error_set(error, STATUS_INPUT,
                         "%s uses Open MPI (%s); silas-trace traces programs built with MPICH "
                         "(mpicc.mpich, mpifort.mpich)",
                         path, library);
    return STATUS_OK;
}
