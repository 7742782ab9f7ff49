#include "replay/realtime/datatypes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whole chunks of 2^30 elements, then the rest. */
static MPI_Datatype make_type(MPI_Datatype element, int size, uint64_t elements)
{
    enum { CHUNK = 1 << 30 };
    MPI_Datatype chunk, type;
    MPI_Type_contiguous(CHUNK, element, &chunk);
    int lengths[2] = {(int)(elements / CHUNK), (int)(elements % CHUNK)};
    MPI_Aint places[2] = {0, (MPI_Aint)(elements - elements % CHUNK) * size};
    MPI_Datatype types[2] = {chunk, element};
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&chunk);
    return type;
}

bool datatype_for(struct datatypes *datatypes, MPI_Datatype element, uint64_t bytes,
                  MPI_Datatype *type, int *count)
{
    int size;
    MPI_Type_size(element, &size);
    uint64_t elements = bytes / (uint64_t)size;
    if (elements <= INT_MAX) {
        *type = element;
        *count = (int)elements;
        return true;
    }
    *count = 1;
    for (size_t i = 0; i < datatypes->list.count; i++)
        if (datatypes->list.items[i].element == element &&
            datatypes->list.items[i].bytes == bytes) {
            *type = datatypes->list.items[i].type;
            return true;
        }
    struct sized_type made = {element, bytes, make_type(element, size, elements)};
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
