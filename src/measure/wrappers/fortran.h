/* Converts Fortran arguments to C, for the generated mpi_*_f08_ functions. */
#ifndef MEASURE_FORTRAN_H
#define MEASURE_FORTRAN_H

#include <mpi.h>
#include <stddef.h>

/* In Fortran MPI_STATUS(ES)_IGNORE and MPI_UNWEIGHTED are variables, recognised by address. */
MPI_Status *fortran_status(MPI_Status *status);
MPI_Status *fortran_statuses(MPI_Status *statuses);
const int *fortran_weights(const int *weights);

/* A copy without trailing blanks, which the caller frees; NULL if out of memory. */
char *fortran_string(const char *text, size_t length);

#endif
