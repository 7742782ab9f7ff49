#include "measure/wrappers/pmpi.h"

#include "measure/recorder/next_function.h"
#include "measure/wrappers/call.h"

#include "base/log.h"

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The code of one library. */
struct code_range {
    uintptr_t first, behind;
};

enum { RANGES = 2 };
static struct code_range ranges[RANGES]; /* of libmpi_mpifh and libmpi_usempif08 */

static int note_range(struct dl_phdr_info *library, size_t size, void *unused)
{
    static const char *const names[RANGES] = {"/libmpi_mpifh", "/libmpi_usempif08"};
    (void)size;
    (void)unused;
    for (int n = 0; n < RANGES; n++)
        for (int i = 0; strstr(library->dlpi_name, names[n]) && i < library->dlpi_phnum; i++) {
            const ElfW(Phdr) *part = &library->dlpi_phdr[i];
            const uintptr_t first = library->dlpi_addr + part->p_vaddr;
            if (part->p_type == PT_LOAD && part->p_flags & PF_X)
                ranges[n] = (struct code_range){first, first + part->p_memsz};
        }
    return 0;
}

__thread bool pmpi_in_wrapper;

void pmpi_find_fortran(void)
{
    dl_iterate_phdr(note_range, NULL);
}

bool pmpi_from_fortran(const void *return_address)
{
    const uintptr_t address = (uintptr_t)return_address;
    if (call_depth > 0 || pmpi_in_wrapper)
        return false;
    for (int n = 0; n < RANGES; n++)
        if (address >= ranges[n].first && address < ranges[n].behind)
            return true;
    return false;
}

void (*pmpi_next(const char *name))(void)
{
    void (*next)(void) = next_function(name);
    if (!next) {
        log_warning("%s is missing in the MPI that the program has loaded: use silas-trace of that "
                    "MPI",
                    name);
        _exit(STATUS_ENVIRONMENT);
    }
    return next;
}
