/* Calls that came with MPI 4, which the tracer does not record: a program that communicates by them
 * leaves messages with one side only. Seen in the symbols that the program wants from libraries. */
#include "base/log.h"
#include "base/mpi_call.h"
#include "measure/launch.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with)
{
    size_t length = strlen(name), end = strlen(with);
    return length > end && strcmp(name + length - end, with) == 0;
}

/* Counts beyond an int (MPI_Send_c), persistent collectives and partitions (MPI_Bcast_init,
 * MPI_Psend_init), sessions. */
static bool is_newer(const char *name)
{
    static const char *const local[] = {"MPI_Type_",        "MPI_Get_count", "MPI_Get_elements",
                                        "MPI_Pack",         "MPI_Unpack",    "MPI_Status_",
                                        "MPI_Op_",          "MPI_Buffer_",   "MPI_File_",
                                        "MPI_Reduce_local", "MPI_Register"};
    if (!begins(name, "MPI_") || mpi_call_from_name(name) != MPI_CALL_NONE)
        return false;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (begins(name, local[i]))
            return false;
    return ends(name, "_c") || ends(name, "_init") || begins(name, "MPI_Isendrecv");
}

/* The names among the undefined symbols of a table, into `text`, as far as there is room. */
static void name_newer(const char *file, size_t size, const ElfW(Shdr) * symbols,
                       const ElfW(Shdr) * strings, char *text, size_t room)
{
    size_t length = 0;
    if (symbols->sh_offset > size || symbols->sh_size > size - symbols->sh_offset ||
        strings->sh_offset > size || strings->sh_size > size - strings->sh_offset ||
        strings->sh_size == 0 || file[strings->sh_offset + strings->sh_size - 1] != 0)
        return;
    for (size_t at = 0; at + sizeof(ElfW(Sym)) <= symbols->sh_size; at += sizeof(ElfW(Sym))) {
        ElfW(Sym) symbol;
        memcpy(&symbol, file + symbols->sh_offset + at, sizeof symbol);
        if (symbol.st_shndx != SHN_UNDEF || symbol.st_name >= strings->sh_size)
            continue;
        const char *name = file + strings->sh_offset + symbol.st_name;
        if (is_newer(name) && length + strlen(name) + 3 < room)
            length +=
                (size_t)snprintf(text + length, room - length, "%s%s", length ? ", " : "", name);
    }
}

static void warn(const char *file, size_t size)
{
    ElfW(Ehdr) header;
    char text[200] = "";
    memcpy(&header, file, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(ElfW(Shdr)) ||
        header.e_shoff > size || header.e_shnum > (size - header.e_shoff) / sizeof(ElfW(Shdr)))
        return;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        ElfW(Shdr) symbols, strings;
        memcpy(&symbols, file + header.e_shoff + i * sizeof symbols, sizeof symbols);
        if (symbols.sh_type != SHT_DYNSYM || symbols.sh_link >= header.e_shnum)
            continue;
        memcpy(&strings, file + header.e_shoff + symbols.sh_link * sizeof strings, sizeof strings);
        name_newer(file, size, &symbols, &strings, text, sizeof text);
        if (*text)
            log_warning("the program uses calls of MPI 4 that are not recorded (%s): what it sends "
                        "or receives by them is missing in the trace",
                        text);
    }
}

void launch_warn_newer(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && (size_t)status.st_size >= sizeof(ElfW(Ehdr))) {
        size_t size = (size_t)status.st_size;
        char *content = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (content != MAP_FAILED) {
            warn(content, size);
            munmap(content, size);
        }
    }
    close(file);
}
