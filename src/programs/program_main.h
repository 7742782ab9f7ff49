/* How the programs begin and end: command line, MPI, signals, one message, the exit code. */
#ifndef PROGRAMS_PROGRAM_MAIN_H
#define PROGRAMS_PROGRAM_MAIN_H

#include "base/mpi/processes.h"
#include "base/options.h"

struct program_main {
    const struct program *program; /* its command line */
    /* What the table of options cannot check, with options_usage_error; returns the exit code with
     * which to end at once, or 0. NULL: nothing. */
    int (*check)(const struct program *program);
    /* The program itself; collective in a parallel one, where all processes return the same status.
     * `processes` is NULL in a serial one. */
    enum status (*run)(char **operands, struct processes *processes, struct error *error);
};

/* Both return the exit code (enum status). The parallel one calls MPI_Init and MPI_Finalize, and
 * its first process alone speaks. */
int program_main_serial(const struct program_main *main, int argc, char **argv);
int program_main_parallel(const struct program_main *main, int argc, char **argv);

#endif
