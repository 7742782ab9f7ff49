/* Finds calls of MPI 4 among the undefined symbols of a program. The tracer does not record them,
 * so messages that one side sends or receives with them lack that side in the trace. */
#include "base/log.h"
#include "base/mpi_call.h"
#include "measure/launch/launch.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
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

/* Calls with large counts (MPI_Send_c), persistent collective and partitioned ones (MPI_Bcast_init,
 * MPI_Psend_init) and sessions, except calls that do not communicate. */
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

/* Writes the newer calls among a table's undefined symbols into `text`, as many as it has room for.
 */
static void name_newer(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, char *text, size_t room)
{
    Elf_Data *symbols = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0, length = 0;
    GElf_Sym symbol;
    for (size_t i = 0; i < count && gelf_getsym(symbols, (int)i, &symbol); i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF && name && is_newer(name) &&
            length + strlen(name) + 3 < room)
            length +=
                (size_t)snprintf(text + length, room - length, "%s%s", length ? ", " : "", name);
    }
}

static void warn(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    char text[200] = "";
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            name_newer(elf, section, &header, text, sizeof text);
    if (*text)
        log_warning("the program uses calls of MPI 4 that are not recorded (%s): what it sends or "
                    "receives with them is missing in the trace",
                    text);
}

void launch_warn_newer(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
    if (elf)
        warn(elf);
    elf_end(elf);
    if (file >= 0)
        close(file);
}
