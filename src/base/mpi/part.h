/* What a process has for process 0, which takes it piece by piece, one process after the other: any
 * number of bytes, in little memory. */
#ifndef BASE_MPI_PART_H
#define BASE_MPI_PART_H

#include "base/mpi/processes.h"

enum { PART_PIECE = 1 << 20 }; /* bytes of a piece at most */

/* Sends a piece to process 0. A piece of no bytes ends the part. */
void part_send(const struct processes *processes, const void *piece, size_t size);

/* Process 0: waits for the next piece of the process's part and writes it to `piece` [PART_PIECE].
 * Returns its size in bytes, 0 at the end of the part. */
size_t part_receive(const struct processes *processes, int from, void *piece);

#endif
