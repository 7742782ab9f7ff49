/* Open MPI's Fortran libraries call PMPI_* functions. The tracer replaces these functions (pmpi.awk
 * generates them); calls from Fortran go to the tracer's wrappers. */
#ifndef MEASURE_PMPI_H
#define MEASURE_PMPI_H

#include <stdbool.h>

/* Finds the Fortran libraries in memory. Called before MPI is initialised. */
void pmpi_find_fortran(void);

/* This thread is in a wrapper that a Fortran library has called: what the wrapper calls goes to
 * MPI, also if it ends with a jump, which leaves the Fortran library's return address. */
extern __thread bool pmpi_in_wrapper
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Whether a call that returns to this address was made by a Fortran library, and not inside another
 * MPI call. */
bool pmpi_from_fortran(const void *return_address);

/* MPI's function of this name. Ends the process with a message if there is none. */
void (*pmpi_next(const char *name))(void);

#endif
