/* Operators that the program has made (MPI_Op_create). MPI calls a function of the tracer, which
 * calls the program's and measures its time. */
#ifndef MEASURE_OPERATORS_H
#define MEASURE_OPERATORS_H

#include <mpi.h>
#include <stdint.h>

/* The number of an operator in the trace; RECORD_NONE if it is predefined or unknown. */
uint32_t operator_number(MPI_Op op);

/* Defines the operators with their times so far. Called when the measurement ends. */
void operators_define(void);

#endif
