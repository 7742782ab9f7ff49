#include "base/mpi_call.h"

#include <ctype.h>
#include <string.h>

const struct mpi_call_info mpi_call_infos[MPI_CALL_COUNT] = {
    [MPI_CALL_NONE] = {"", MPI_CLASS_NONE, COLLECTIVE_OP_COUNT},
#include "base/mpi_call_infos.inc"
};

static enum mpi_call find_call_of_name(const char *name, size_t length)
{
    for (int call = MPI_CALL_NONE + 1; call < MPI_CALL_COUNT; call++)
        if (strncasecmp(mpi_call_infos[call].name, name, length) == 0 &&
            mpi_call_infos[call].name[length] == '\0')
            return (enum mpi_call)call;
    return MPI_CALL_NONE;
}

enum mpi_call mpi_call_from_name(const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == '_')
        length--;
    if (length < 5 || strncasecmp(name, "mpi_", 4) != 0)
        return MPI_CALL_NONE;
    enum mpi_call call = find_call_of_name(name, length);
    bool large =
        call != MPI_CALL_NONE && length > 2 && strncasecmp(name + length - 2, "_c", 2) == 0;
    return large ? find_call_of_name(name, length - 2) : call;
}
