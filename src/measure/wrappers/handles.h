/* Files: on which communicator (its id in the trace) their collective calls are. */
#ifndef MEASURE_HANDLES_H
#define MEASURE_HANDLES_H

#include "measure/wrappers/communicators.h"

/* Remembers that the object a handle names was made on `comm`; nothing if making it failed. */
void file_opened(int result, const MPI_File *file, uint32_t comm);

/* COMM_UNKNOWN for a handle that is not known. */
uint32_t file_comm(MPI_File file);

/* The same before the object is freed; forgets it. */
uint32_t file_closed(const MPI_File *file);

#endif
