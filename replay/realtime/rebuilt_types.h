/* Datatypes and operators of the program, rebuilt from the recording (base/otf2_attributes.h:
 * SILAS::types). A definition is rebuilt when a call first needs it, before the clock starts. */
#ifndef REPLAY_REALTIME_REBUILT_TYPES_H
#define REPLAY_REALTIME_REBUILT_TYPES_H

#include "base/array.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/mpi/handles.h"
#include "trace/definitions.h"

/* One datatype. */
struct rebuilt_type {
    MPI_Datatype type; /* committed; MPI_DATATYPE_NULL: it cannot be rebuilt */
    uint64_t size;     /* bytes of data */
    bool plain;        /* of a predefined type: bytes do as well */
};

/* What a call says of its datatypes. */
struct call_types {
    struct rebuilt_type *layouts; /* [count] */
    uint32_t count, sent_count, received_count;
    const uint64_t *sent, *received; /* indices of layouts: one for each peer, or one for all */
    MPI_Op operation;                /* of the program; MPI_OP_NULL: none, or not rebuilt */
};

struct rebuilt_types {
    const struct definitions *definitions;
    double ticks_scale; /* ticks of `clock` per tick of the trace */
    const struct clock *clock;
    ARRAY(struct call_types) list;
    struct map known; /* `types` of a call -> index in the list */
};

/* The rebuilt datatypes; `types` is that of a struct message. NULL if 0, if the definition is
 * damaged, or if out of memory. Valid until the next call. */
const struct call_types *rebuilt_types_find(struct rebuilt_types *rebuilt, uint32_t types);

/* The layout of the data for a peer, or from one; NULL: bytes. */
const struct rebuilt_type *call_types_layout(const struct call_types *types, bool sent,
                                             uint32_t peer);

/* What the members of a reduction by an operator of the program must agree on, before anything is
 * rebuilt: 0 if there is no such operator. `*measured`: the time of its function is recorded. */
int64_t rebuilt_types_operator(const struct definitions *definitions, uint32_t types,
                               bool *measured);

void rebuilt_types_clear(struct rebuilt_types *rebuilt);

/* The predefined type of C for an enum silas_element of a size; MPI_DATATYPE_NULL: there is none.
 */
MPI_Datatype predefined_type(uint32_t element, int64_t size);

/* The bytes from the first to the last byte of `count` elements. `*lowest` is the place of the
 * first, relative to the address that MPI gets. */
uint64_t datatype_span(MPI_Datatype type, uint64_t count, MPI_Aint *lowest);

#endif
