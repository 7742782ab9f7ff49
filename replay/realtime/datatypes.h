/* MPI counts are ints: a larger message is sent as one element of a datatype of its size. */
#ifndef REPLAY_REALTIME_DATATYPES_H
#define REPLAY_REALTIME_DATATYPES_H

#include "base/array.h"

#include <mpi.h>
#include <stdint.h>

struct sized_type {
    MPI_Datatype element;
    uint64_t bytes;
    MPI_Datatype type;
};

struct datatypes {
    ARRAY(struct sized_type) list;
};

/* Type and count for `bytes` of elements of a predefined type, rounded down to whole elements.
 * Operators that fit the element also fit the type. False when memory is out. */
bool datatype_for(struct datatypes *datatypes, MPI_Datatype element, uint64_t bytes,
                  MPI_Datatype *type, int *count);

void datatypes_clear(struct datatypes *datatypes);

#endif
