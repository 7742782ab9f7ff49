/* Datatypes of the program: their sizes, and what the trace says of their layouts
 * (base/otf2_attributes.h: SILAS::types). A layout is described when a type is first used, and kept
 * until the program frees the type. Equal descriptions are one definition. */
#ifndef MEASURE_DATATYPES_H
#define MEASURE_DATATYPES_H

#include "measure/wrappers/call.h"

/* Sizes of predefined types are cached apart, because nearly all calls have such types. */
struct type_size {
    MPI_Datatype type; /* set last, and once */
    uint32_t size;
};

#define TYPE_SLOTS 256
extern struct type_size type_sizes[TYPE_SLOTS] __attribute__((visibility("hidden")));

/* Returns the size of a type that is not cached; 0 for an invalid type. */
uint64_t type_size_ask(MPI_Datatype type);

/* MPICH numbers its predefined types in the lowest byte, their kinds in the highest. */
static inline struct type_size *type_slot(MPI_Datatype type)
{
    const uintptr_t bits = (uintptr_t)type;
    return &type_sizes[handle_hash(bits, bits ^ bits >> 24) % TYPE_SLOTS];
}

/* True for predefined types, if their size is cached. */
static inline bool type_is_cached(MPI_Datatype type)
{
    return __atomic_load_n(&type_slot(type)->type, __ATOMIC_ACQUIRE) == type;
}

/* Bytes of data in one element; 0 for MPI_DATATYPE_NULL. */
static inline uint64_t type_size(MPI_Datatype type)
{
    return __builtin_expect(type_is_cached(type), 1) ? type_slot(type)->size : type_size_ask(type);
}

/* The enum silas_element of a predefined type; SILAS_ELEMENT_UNKNOWN for all others. */
uint8_t type_element(MPI_Datatype type);

/* What a call says of its datatypes. A list has one type for each peer, or one for all; the lists
 * of one-sided operations are the types at the origin and at the target. Types that
 * are not significant in the call are MPI_DATATYPE_NULL. */
struct types_used {
    const MPI_Datatype *sent, *received;
    int sent_count, received_count;
    uint32_t user_op; /* number of the operator (operators.h); RECORD_NONE: none */
};

/* The id of the definition, for records of the call. RECORD_NONE if all data are contiguous and the
 * call has no operator of the program, or if out of memory. */
uint32_t types_define(const struct types_used *types);

/* The same for a message with data of this type. */
static inline uint32_t types_of_message(MPI_Datatype type)
{
    const struct types_used types = {.sent = &type, .sent_count = 1, .user_op = RECORD_NONE};
    return __builtin_expect(type_is_cached(type), 1) ? RECORD_NONE : types_define(&types);
}

/* The same for a one-sided operation. */
static inline uint32_t types_of_operation(const struct call *call, MPI_Datatype origin,
                                          MPI_Datatype target)
{
    const struct types_used types = {&origin, &target, 1, 1, RECORD_NONE};
    return !call->recorder || (type_is_cached(origin) && type_is_cached(target))
               ? RECORD_NONE
               : types_define(&types);
}

#endif
