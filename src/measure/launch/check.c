/* Checks whether a program can be traced: it must load MPICH's shared library when it starts. */
#include "measure/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The file in memory, which the caller ends; NULL if it cannot be read. */
static Elf *open_executable(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ_MMAP, NULL);
    elf_cntl(elf, ELF_C_FDREAD);
    if (file >= 0)
        close(file);
    return elf;
}

enum linkage { LINKAGE_OTHER /* e.g. a script */, LINKAGE_STATIC, LINKAGE_DYNAMIC };

/* A program without an ELF interpreter is linked statically: nothing can be preloaded. */
static enum linkage linkage_of(const char *path)
{
    Elf *elf = open_executable(path);
    enum linkage linkage = elf_kind(elf) == ELF_K_ELF ? LINKAGE_STATIC : LINKAGE_OTHER;
    GElf_Phdr part;
    for (int i = 0; linkage == LINKAGE_STATIC && gelf_getphdr(elf, i, &part); i++)
        if (part.p_type == PT_INTERP)
            linkage = LINKAGE_DYNAMIC;
    elf_end(elf);
    return linkage;
}

/* Whether the program loads a library of Open MPI, directly or through another library; its name is
 * written into `library`. MPICH and its derivatives are libmpich.so.12 or libmpi.so.12. The dynamic
 * loader lists the libraries instead of running the program. */
static bool loads_open_mpi(const char *path, char *library, size_t size)
{
    static const char *const names[] = {"libmpi.so.40", "libmpi.so.20", "libopen-rte.so",
                                        "libopen-pal.so"};
    static const char variable[] = "SILAS_TRACE_PROGRAM"; /* spares quoting the path */
    char line[4096];
    bool found = false;
    if (setenv(variable, path, 1) != 0)
        return false;
    FILE *list = popen("LD_TRACE_LOADED_OBJECTS=1 \"$SILAS_TRACE_PROGRAM\" 2>/dev/null", "re");
    while (list && fgets(line, sizeof line, list)) {
        for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++) {
            found = strstr(line, names[i]) != NULL;
            if (found)
                snprintf(library, size, "%s", names[i]);
        }
    }
    if (list)
        pclose(list);
    unsetenv(variable);
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

/* --- the launcher --------------------------------------------------------------------------------
 */

enum status launch_check_launcher(struct error *error)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (!size || strcmp(size, "1") == 0 || getenv("PMI_RANK") || getenv("PMI_FD"))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "started by Open MPI's launcher, under which each process of an MPICH program "
                     "is a job of its own; use MPICH's launcher (mpiexec.mpich or mpiexec.hydra)");
}
