/* The communicator (its id in the trace) of each open file of MPI-IO. */
#ifndef MEASURE_FILES_H
#define MEASURE_FILES_H

#include "measure/wrappers/communicators.h"

/* Called after MPI_File_open on `comm`. Does nothing if the call failed. */
void file_opened(int result, const MPI_File *file, uint32_t comm);

/* The file's communicator; COMM_UNKNOWN for an unknown file. */
uint32_t file_comm(MPI_File file);

/* Returns the same and forgets the file. Called before the file is closed. */
uint32_t file_closed(const MPI_File *file);

#endif
