/* A faster MPI_Init for programs that measure nothing. */
#ifndef PROGRAMS_QUICK_START_H
#define PROGRAMS_QUICK_START_H

#include <stdbool.h>

/* Whether a launcher of MPI programs has started this process. False with Slurm's srun for a single
 * task. */
bool quick_start_is_launched(void);

/* Calls MPI_Init, and lets memory begin with huge pages. With MPICH, MPI_Init then does not read
 * the machine's topology and, if all processes of the job are on one host, opens no network.
 * Settings of the user have priority. Other MPI libraries start as usual. */
void quick_start(int *argc, char ***argv);

#endif
