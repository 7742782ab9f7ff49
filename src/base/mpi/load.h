/* MPI's library, which programs load when they start MPI. Login nodes often have no MPI that works,
 * and its libraries take most of the time that a program needs to start: a program that only
 * computes does without them.
 *
 * The files of libmpipart.a call MPI by pointers of the same names (base/mpi_functions.h, which
 * handles.h includes). Where configure finds no shared library of MPI, or it is Open MPI, whose
 * constants are addresses in it, programs are linked with it as usual. */
#ifndef BASE_MPI_LOAD_H
#define BASE_MPI_LOAD_H

#include "base/status.h"

#include <stdbool.h>

/* Loads the library, unless it is there. Fails with STATUS_ENVIRONMENT if the loader does not find
 * it. */
enum status mpi_load(struct error *error);

/* Whether it is there. No function of MPI may be called before. */
bool mpi_is_loaded(void);

#endif
