/* Sending any number of bytes to process 0 in little memory: process 0 receives the parts of the
 * other processes one after the other, piece by piece. */
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
