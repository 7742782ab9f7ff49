/* The quick start of programs that use MPI and measure nothing. */
#ifndef PROGRAMS_QUICK_START_H
#define PROGRAMS_QUICK_START_H

/* Calls MPI_Init, and lets the memory begin with huge pages. With MPICH MPI_Init looks up neither
 * the machine's topology nor, if all processes of the job are on one host, its networks. What the
 * user has set for MPICH stays as it is, and so does the start of other MPI libraries. */
void quick_start(int *argc, char ***argv);

#endif
