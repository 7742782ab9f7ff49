/* Files of MPI-IO: on which communicator (its id in the trace) their collective calls are. */
#ifndef MEASURE_FILES_H
#define MEASURE_FILES_H

#include "measure/wrappers/communicators.h"

/* After MPI_File_open on `comm`; nothing if it failed. */
void file_opened(int result, const MPI_File *file, uint32_t comm);

/* COMM_UNKNOWN for a file that is not known. */
uint32_t file_comm(MPI_File file);

/* The same before the file is closed; forgets it. */
uint32_t file_closed(const MPI_File *file);

#endif
