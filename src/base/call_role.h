/* The roles of MPI calls, as Score-P gives them to regions. Some tools recognise the kind of a call
 * by them: Scalasca, for instance, derives the times of point-to-point and collective
 * communication. */
#ifndef BASE_CALL_ROLE_H
#define BASE_CALL_ROLE_H

#include "base/mpi_call.h"

/* X(identifier, as in OTF2_REGION_ROLE_...; the role's name in Cube files) */
#define CALL_ROLES(X)                 \
    X(FUNCTION, "function")           \
    X(POINT2POINT, "point2point")     \
    X(BARRIER, "barrier")             \
    X(COLL_ONE2ALL, "one2all")        \
    X(COLL_ALL2ONE, "all2one")        \
    X(COLL_ALL2ALL, "all2all")        \
    X(COLL_OTHER, "other collective") \
    X(RMA, "rma")                     \
    X(ATOMIC, "atomic")               \
    X(ALLOCATE, "allocate")           \
    X(FILE_IO, "file_io")

/* CALL_ROLES(CALL_ROLE_OF_OTF2): the roles as numbers of OTF2, for files that include its header.
 */
#define CALL_ROLE_OF_OTF2(identifier, name) OTF2_REGION_ROLE_##identifier,

enum call_role {
#define X(identifier, name) CALL_ROLE_##identifier,
    CALL_ROLES(X)
#undef X
        CALL_ROLE_COUNT
};

enum call_role call_role(enum mpi_call call);

/* "point2point". Lives forever. */
const char *call_role_name(enum call_role role);

#endif
