/* What the generated mpi_*_f08_ functions need to turn Fortran's arguments into C's. */
#ifndef MEASURE_FORTRAN_H
#define MEASURE_FORTRAN_H

#include <mpi.h>
#include <stddef.h>

/* Fortran names MPI_STATUS(ES)_IGNORE and MPI_UNWEIGHTED by the address of a variable. */
MPI_Status *fortran_status(MPI_Status *status);
MPI_Status *fortran_statuses(MPI_Status *statuses);
const int *fortran_weights(const int *weights);

/* A string without its trailing blanks, to be freed; NULL if memory is out. */
char *fortran_string(const char *text, size_t length);

#endif
