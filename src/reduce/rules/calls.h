/* What a reduction may do with a call, by the class of the call (doc/methods.md, section 10). */
#ifndef REDUCTION_RULES_CALLS_H
#define REDUCTION_RULES_CALLS_H

#include "base/mpi_call.h"

/* Calls whose messages may fold. Other calls, such as tests and probes, depend on more than the
 * time at which they end: on whether a message has arrived by then. */
static inline bool class_folds_messages(enum mpi_class class)
{
    return (class >= MPI_CLASS_SEND && class <= MPI_CLASS_IRECV) || class == MPI_CLASS_START ||
           mpi_class_waits(class);
}

/* Calls whose collective operations may fold. */
static inline bool class_folds_operations(enum mpi_class class)
{
    return (class >= MPI_CLASS_COLLECTIVE && class <= MPI_CLASS_INEIGHBOUR) ||
           mpi_class_waits(class);
}

/* Calls that may be left out if they have no record of communication. All others are left out only
 * if they had such records and all of these fold: no other rank and no state of MPI then depends on
 * them. */
static inline bool class_may_be_silent(enum mpi_class class)
{
    return class == MPI_CLASS_NONE || class == MPI_CLASS_LOCAL ||
           (class >= MPI_CLASS_SEND && class <= MPI_CLASS_IRECV) || mpi_class_waits(class);
}

/* Calls that form a polling loop if no other call is between them. */
static inline bool class_polls(enum mpi_class class)
{
    return mpi_class_tests(class) || mpi_class_probes(class);
}

#endif
