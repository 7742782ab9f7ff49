/* Processes that were started together but are not in one MPI_COMM_WORLD. */
#ifndef BASE_MPI_APART_H
#define BASE_MPI_APART_H

#include "base/mpi/processes.h"

/* Fails with STATUS_USAGE if a launcher has started several processes, each of which is alone in
 * its MPI_COMM_WORLD: a launcher of another MPI, or srun --mpi=none. Every one would do the whole
 * work and end with exit code 0. All but the first stop printing messages. */
enum status processes_check_together(const struct processes *processes, struct error *error);

#endif
