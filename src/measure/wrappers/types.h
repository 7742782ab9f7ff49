/* Sizes of datatypes. Those of predefined types are cached. For other types MPI is asked each time,
 * because MPI reuses the handle of a freed type for another one. */
#ifndef MEASURE_TYPES_H
#define MEASURE_TYPES_H

#include <mpi.h>
#include <stdint.h>

struct type_size {
    MPI_Datatype type; /* set last, and once */
    uint32_t size;
};

#define TYPE_SLOTS 256
extern struct type_size type_sizes[TYPE_SLOTS] __attribute__((visibility("hidden")));

/* The size of a type that is not cached; 0 for an invalid one. */
uint64_t type_size_ask(MPI_Datatype type);

/* MPICH numbers its predefined types in the lowest byte, their kinds in the highest. */
static inline struct type_size *type_slot(MPI_Datatype type)
{
    const uintptr_t bits = (uintptr_t)type;
    return &type_sizes[(bits ^ bits >> 24) % TYPE_SLOTS];
}

/* Bytes of data in one element; 0 for MPI_DATATYPE_NULL. */
static inline uint64_t type_size(MPI_Datatype type)
{
    const struct type_size *known = type_slot(type);
    return __builtin_expect(__atomic_load_n(&known->type, __ATOMIC_ACQUIRE) == type, 1)
               ? known->size
               : type_size_ask(type);
}

#endif
