/* The main function of the programs: command line, MPI, signals, error message, exit code. */
#ifndef PROGRAMS_PROGRAM_MAIN_H
#define PROGRAMS_PROGRAM_MAIN_H

#include "base/mpi/processes.h"
#include "base/options.h"

struct program_main {
    const struct program *program; /* its command line */
    /* Checks what the table of options cannot. Returns 0, or the exit code (of
     * options_usage_error) with which the program ends at once. NULL: there is nothing to check. */
    int (*check)(const struct program *program);
    /* The program itself. In a parallel program it is collective, and all processes return the
     * same status; in a serial one `processes` is NULL. */
    enum status (*run)(char **operands, struct processes *processes, struct error *error);
    /* Of a parallel program: whether it measures, so that MPI has to start as for any other
     * program. */
    bool measures;
    /* Called with the command line before MPI is started: whether MPI is needed with
     * MPI_THREAD_MULTIPLE, which makes its calls slower. NULL: never. */
    bool (*threads)(int argc, char **argv);
};

/* Both return the exit code (enum status). The parallel one calls MPI_Init and MPI_Finalize;
 * only its process 0 prints messages, and it refuses to run as several processes that do not know
 * each other. */
int program_main_serial(const struct program_main *main, int argc, char **argv);
int program_main_parallel(const struct program_main *main, int argc, char **argv);

#endif
