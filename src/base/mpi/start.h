/* The start and the end of MPI in our programs. */
#ifndef BASE_MPI_START_H
#define BASE_MPI_START_H

#include "base/mpi/processes.h"

#include <stdbool.h>

/* Whether a launcher of MPI programs has started this process. False with Slurm's srun for a single
 * task. */
bool mpi_is_launched(void);

/* Whether MPI runs in this process: between the two functions below. */
bool mpi_is_running(void);

enum mpi_start {
    /* A faster start, for programs that measure nothing. With MPICH, MPI_Init then does not read
     * the machine's topology and, if all processes of the job are on one host, opens no network.
     * Settings of the user have priority. Other MPI libraries start as usual. Memory begins with
     * huge pages. */
    MPI_START_QUICK,
    MPI_START_DEFAULT, /* as users' programs do */
    MPI_START_THREADS, /* with MPI_THREAD_MULTIPLE, which makes MPI calls slower */
};

/* Starts MPI. Sets the number of processes in the job, and the number of this one. Fails with
 * STATUS_ENVIRONMENT if MPI's library is not there. */
enum status mpi_start(enum mpi_start how, int *size, int *rank, struct error *error);

/* Starts MPI for one process that does without it so far (processes_fork), unless it runs: to
 * replay a trace of one rank. mpi_end ends it. */
enum status mpi_start_alone(struct processes *processes, struct error *error);

/* Ends MPI if it runs. */
void mpi_end(void);

#endif
