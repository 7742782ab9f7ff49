#include "replay/realtime/datatypes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whole chunks of 1 GiB, then the rest. */
static MPI_Datatype make_type(uint64_t bytes)
{
    enum { CHUNK = 1 << 30 };
    MPI_Datatype chunk, type;
    MPI_Type_contiguous(CHUNK, MPI_BYTE, &chunk);
    int lengths[2] = {(int)(bytes / CHUNK), (int)(bytes % CHUNK)};
    MPI_Aint places[2] = {0, (MPI_Aint)(bytes - bytes % CHUNK)};
    MPI_Datatype types[2] = {chunk, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&chunk);
    return type;
}

bool datatype_for(struct datatypes *datatypes, uint64_t bytes, MPI_Datatype *type, int *count)
{
    if (bytes <= INT_MAX) {
        *type = MPI_BYTE;
        *count = (int)bytes;
        return true;
    }
    *count = 1;
    for (size_t i = 0; i < datatypes->list.count; i++)
        if (datatypes->list.items[i].bytes == bytes) {
            *type = datatypes->list.items[i].type;
            return true;
        }
    struct sized_type made = {bytes, make_type(bytes)};
    *type = made.type;
    return array_push(&datatypes->list, made);
}

void datatypes_clear(struct datatypes *datatypes)
{
    for (size_t i = 0; i < datatypes->list.count; i++)
        MPI_Type_free(&datatypes->list.items[i].type);
    free(datatypes->list.items);
    memset(datatypes, 0, sizeof *datatypes);
}
