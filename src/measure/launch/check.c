/* Finds the program and the tracer of its MPI, and checks that the program can be traced. */
#include "config.h"

#include "measure/launch/launch.h"

#include "base/files.h"
#include "base/installation.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status find_program(const char *program, char *path, size_t size, struct error *error)
{
    if (!strchr(program, '/')) {
        if (files_find_program(getenv("PATH"), program, path, size))
            return STATUS_OK;
        return error_set(error, STATUS_INPUT, "%s: no such program in PATH", program);
    }
    snprintf(path, size, "%s", program);
    if (files_is_program(path))
        return STATUS_OK;
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, STATUS_INPUT, "%s: %s", program, strerror(errno));
    return error_set(error, STATUS_INPUT, "%s: not an executable file", program);
}

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
static enum linkage program_linkage(const char *path)
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

/* Adds the functions of MPI that a section of symbols defines to `found`. */
static void count_mpi_functions(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                                struct own_mpi_functions *found)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    GElf_Sym symbol;
    for (size_t i = 0; data && i < count; i++) {
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
            GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name || strncmp(name, "MPI_", 4) != 0) {
            found->below += name && strncmp(name, "PMPI_", 5) == 0;
            continue;
        }
        if (found->count++ == 0)
            snprintf(found->example, sizeof found->example, "%s", name);
    }
}

struct own_mpi_functions launch_own_mpi_functions(const char *path)
{
    struct own_mpi_functions found = {0};
    Elf *elf = open_executable(path);
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            count_mpi_functions(elf, section, &header, &found);
    }
    elf_end(elf);
    return found;
}

static enum status refuse_own_wrappers(const char *path, struct error *error)
{
    struct own_mpi_functions own = launch_own_mpi_functions(path);
    if (own.count == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s contains its own definition of %u MPI function%s (%s%s), probably by a "
                     "profiling tool that it is linked with; the tracer cannot see these calls: "
                     "link the program without the tool",
                     path, own.count, own.count > 1 ? "s" : "", own.example,
                     own.count > 1 ? ", ..." : "");
}

/* A launcher as the program: each of silas-trace's ranks would be the launcher, not the program. */
static enum status refuse_launcher(char **program, const char *path, struct error *error)
{
    static const char *const launchers[] = {
        "mpirun",         "mpiexec",         "mpiexec.hydra", "mpirun.mpich", "mpiexec.mpich",
        "mpirun.openmpi", "mpiexec.openmpi", "orterun",       "prterun",      "prun",
        "srun",           "aprun",           "jsrun",         "flux"};
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (strcmp(name, launchers[i]) == 0)
            return error_set(
                error, STATUS_USAGE,
                "%s starts ranks, so it comes first: %s ... silas-trace PROGRAM, as in "
                "\"mpirun -np 4 silas-trace ./app\"",
                program[0], program[0]);
    }
    return STATUS_OK;
}

/* The MPI libraries that a program loads. */
struct loaded_libraries {
    const struct mpi_kind *kind, *other; /* the MPI of the last one; one of another MPI */
    char name[64], other_name[64];
    char first[64];      /* libmpi* of `kind` that comes first; empty: none */
    char path[PATH_MAX]; /* its file */
    char second[64];     /* another one, or the same that is not there; empty: none */
};

/* One line of the dynamic loader: "\tlibc.so.6 => /lib/libc.so.6 (0x...)", "... => not found". */
static void read_library(char *line, struct loaded_libraries *loaded)
{
    char *name = line + strspn(line, "\t "), *path = strstr(name, " => ");
    name[strcspn(name, " \n")] = '\0';
    path = path && path[4] == '/' ? path + 4 : "";
    const struct mpi_kind *kind = mpi_kind_library(mpi_kind_own, name)     ? mpi_kind_own
                                  : mpi_kind_library(mpi_kind_other, name) ? mpi_kind_other
                                                                           : NULL;
    if (!kind)
        return;
    if (!loaded->kind)
        loaded->kind = kind;
    char *shown = kind == loaded->kind ? loaded->name : loaded->other_name;
    snprintf(shown, sizeof loaded->name, "%s", mpi_kind_library(kind, name));
    if (kind != loaded->kind)
        loaded->other = kind;
    if (kind != loaded->kind || strncmp(name, "libmpi", strlen("libmpi")) != 0)
        return;
    /* The libraries that the program needs come before those that a preloaded one needs. */
    if (!loaded->first[0]) {
        snprintf(loaded->first, sizeof loaded->first, "%s", name);
        snprintf(loaded->path, sizeof loaded->path, "%.*s", (int)strcspn(path, " \n"), path);
    } else {
        snprintf(loaded->second, sizeof loaded->second, "%s", name);
    }
}

/* The dynamic loader lists the libraries instead of running the program; `library`, which may be
 * empty, is preloaded. */
static enum status find_loaded(const char *path, const char *library,
                               struct loaded_libraries *loaded, struct error *error)
{
    char line[4096];
    memset(loaded, 0, sizeof *loaded);
    /* Variables spare quoting the paths. */
    if (setenv("SILAS_TRACE_PROGRAM", path, 1) != 0 ||
        setenv("SILAS_TRACE_LIBRARY", library, 1) != 0)
        return error_memory(error, "the environment");
    FILE *list = popen("LD_TRACE_LOADED_OBJECTS=1 "
                       "LD_PRELOAD=\"${LD_PRELOAD:+$LD_PRELOAD:}$SILAS_TRACE_LIBRARY\" "
                       "\"$SILAS_TRACE_PROGRAM\" 2>/dev/null",
                       "re");
    while (list && fgets(line, sizeof line, list))
        read_library(line, loaded);
    if (list)
        pclose(list);
    unsetenv("SILAS_TRACE_PROGRAM");
    unsetenv("SILAS_TRACE_LIBRARY");
    return STATUS_OK;
}

/* MPIs with a common binary interface give their libraries different names. If the tracer's name is
 * a link to the program's library, the loader loads that library once. */
static enum status refuse_two_copies(const char *program, const struct mpi_kind *kind,
                                     const struct loaded_libraries *loaded, struct error *error)
{
    return error_set(
        error, STATUS_INPUT,
        "%s uses %s, but SILAS was built with %s's %s: make a link of that name (mkdir "
        "-p ~/silas-mpi; ln -s %s ~/silas-mpi/%s) and start again with "
        "LD_LIBRARY_PATH=~/silas-mpi:$LD_LIBRARY_PATH",
        program, loaded->path, kind->name, loaded->second, loaded->path, loaded->second);
}

static enum status refuse_other_mpi(const char *program, const struct mpi_kind *kind,
                                    const char *library, const struct mpi_kind *traced,
                                    struct error *error)
{
    return error_set(error, STATUS_INPUT,
                     "%s uses %s (%s); this silas-trace traces programs built with %s (%s)",
                     program, kind->name, library, traced->name, traced->compilers);
}

/* The tracer of this installation for target->kind. A container has to have this file, so its path
 * does not go by other folders. */
static enum status find_tracer(struct launch_target *target, struct error *error)
{
    const struct mpi_kind *kind = target->kind;
    char path[PATH_MAX];
    if (kind == mpi_kind_own
            ? installation_file(INSTALLATION_TRACER, target->library, sizeof target->library)
            : installation_part_file(kind, INSTALLATION_TRACER, target->library,
                                     sizeof target->library)) {
        if (realpath(target->library, path))
            snprintf(target->library, sizeof target->library, "%s", path);
        return STATUS_OK;
    }
    return error_set(error, STATUS_ENVIRONMENT,
                     "the tracer for %s is not at %s: is SILAS installed completely?", kind->name,
                     target->library);
}

/* The MPI of a program that loads none when it starts: its launcher's, if there is a tracer. */
static const struct mpi_kind *launched_kind(void)
{
    const struct mpi_kind *kind = mpi_kind_of_launcher();
    return kind == mpi_kind_other && installation_part_title(kind) ? kind : mpi_kind_own;
}

/* Chooses the tracer for a program that is linked dynamically, and checks that it can work there.
 */
static enum status find_tracer_of(struct launch_target *target, struct error *error)
{
    struct loaded_libraries loaded;
    enum status status = find_loaded(target->path, "", &loaded, error);
    if (status)
        return status;
    target->kind = loaded.kind ? loaded.kind : launched_kind();
    if (find_tracer(target, error) != STATUS_OK)
        return target->kind == mpi_kind_own
                   ? error->status
                   : refuse_other_mpi(target->path, target->kind, loaded.name, mpi_kind_own, error);
    status = find_loaded(target->path, target->library, &loaded, error);
    if (status)
        return status;
    if (loaded.other && loaded.other != target->kind)
        return refuse_other_mpi(target->path, loaded.other, loaded.other_name, target->kind, error);
    if (loaded.second[0])
        return refuse_two_copies(target->path, target->kind, &loaded, error);
    return refuse_own_wrappers(target->path, error);
}

enum status launch_find_target(char **program, struct launch_target *target, struct error *error)
{
    assert(program[0]);
    enum status status = find_program(program[0], target->path, sizeof target->path, error);
    if (!status)
        status = refuse_launcher(program, target->path, error);
    if (status)
        return status;
    const enum linkage linkage = program_linkage(target->path);
    if (linkage == LINKAGE_STATIC)
        return error_set(error, STATUS_INPUT,
                         "%s is linked statically, so its MPI calls cannot be seen; link it with "
                         "%s's shared library",
                         target->path, launched_kind()->name);
    if (linkage == LINKAGE_DYNAMIC)
        return find_tracer_of(target, error);
    target->kind = launched_kind();
    return find_tracer(target, error);
}

/* Open MPI's launcher sets the first variable, MPICH's the second. A launcher that supports
 * the two interfaces sets all of these variables. */
static bool is_foreign_launcher(const struct mpi_kind *kind)
{
    if (kind == &mpi_kind_open_mpi)
        return getenv("MPI_LOCALNRANKS") && !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK");
    return getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_RANK") && !getenv("PMI_FD");
}

enum status launch_check_launcher(const struct launch_target *target, struct error *error)
{
    const struct mpi_kind *kind = target->kind;
    if (launcher_processes(NULL) < 2 || !is_foreign_launcher(kind))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "started by the launcher of %s, under which each process of a program of %s "
                     "is a separate job; use the launcher of %s (%s)",
                     kind == mpi_kind_own ? mpi_kind_other->name : mpi_kind_own->name, kind->name,
                     kind->name, kind->launcher);
}
