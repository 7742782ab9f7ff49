/* The main function of the programs: command line, MPI, signals, error message, exit code. */
#ifndef PROGRAMS_PROGRAM_MAIN_H
#define PROGRAMS_PROGRAM_MAIN_H

#include "base/mpi/processes.h"
#include "base/options.h"

struct program_main {
    const struct program *program; /* its command line */
    /* Checks what the table of options cannot express. Returns 0, or the exit code (of
     * options_usage_error) with which the program ends. NULL: there is nothing to check. */
    int (*check)(const struct program *program);
    /* The program. Collective; all processes return the same status. */
    enum status (*run)(char **operands, struct processes *processes, struct error *error);
    /* True for a program that measures: MPI must start with its defaults, and memory must
     * have the pages that users' programs have (not memory_begin). */
    bool measures;
    /* True if the program starts MPI also if no launcher has started it. Others do without
     * MPI then; the real-time engine starts it when a trace of one rank is replayed. */
    bool needs_mpi;
    /* How many processes a program without MPI forks, at least 1 (local_jobs.h). NULL: 1. */
    int (*jobs)(char **operands);
    /* Called with the command line before MPI starts. Returns true if the program needs
     * MPI_THREAD_MULTIPLE, which makes MPI calls slower. NULL: it never does. */
    bool (*threads)(int argc, char **argv);
};

/* Returns the exit code (enum status). Only process 0 prints messages. Fails if a launcher has
 * started several processes of which each believes to be alone. */
int program_main_parallel(const struct program_main *main, int argc, char **argv);

#endif
