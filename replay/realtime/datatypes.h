/* MPI counts are ints: larger messages travel as one element of a datatype made for their size. */
#ifndef REPLAY_REALTIME_DATATYPES_H
#define REPLAY_REALTIME_DATATYPES_H

#include "base/array.h"

#include <mpi.h>
#include <stdint.h>

struct sized_type {
    uint64_t bytes;
    MPI_Datatype type;
};

struct datatypes {
    ARRAY(struct sized_type) list;
};

/* Type and count for a message of so many bytes; false when memory is out. */
bool datatype_for(struct datatypes *datatypes, uint64_t bytes, MPI_Datatype *type, int *count);

void datatypes_clear(struct datatypes *datatypes);

#endif
