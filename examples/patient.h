/* Calls that let other ranks have the core while they wait, for programs with more ranks than
 * cores: MPICH spins, so each message would wait until the system takes the core from a rank that
 * waits.
 *
 * patient.c defines PMPI_Send, PMPI_Recv, PMPI_Sendrecv and PMPI_Barrier, which a tracer's MPI_Send
 * and so on call: the trace has the usual calls, with the time that they wait inside. A program
 * that is not traced gets them by the PMPI_ names. */
#ifndef EXAMPLES_PATIENT_H
#define EXAMPLES_PATIENT_H

#include <mpi.h>
#include "measure/silas/region.h"

#define PATIENT(call) (silas_region_begin_at ? MPI_##call : PMPI_##call)

#endif
