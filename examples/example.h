/* What the example programs share: their command line, computation of known length, and the line
 * they print. Start with lb-coll.c, the smallest; programs with a performance problem have a
 * switch that really removes it, so that a prediction of SILAS can be compared with the truth.
 * lu.c, sweep3d.c, stencil.c and cg.c really compute; the model scripts of the same names predict
 * their times. flaws/ has programs by which advice is checked.
 *
 * User functions are marked with SILAS_REGION_BEGIN/END (silas/region.h), so they appear in traces;
 * without the tracer the marks have no effect. */
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* An option with a whole number that only one program has. */
struct example_option {
    const char *name; /* without dashes; NULL ends the list */
    const char *description;
    int lowest;
    int *value; /* holds the default */
};

struct example {
    const char *name, *description;
    const char *fix; /* the switch that removes the problem, without dashes; NULL: none */
    const char *fix_description;
    const struct example_option *options; /* NULL: none */
    int iterations;                       /* defaults, then what the command line says */
    double work_s; /* mean computation of a rank and iteration, seconds; 0: real computation, whose
                      length is not given, without --time */
    bool fixed;
    int rank, size; /* in MPI_COMM_WORLD */
    double begin_s;
};

/* Calls MPI_Init, reads the command line and lets all ranks start together. False: the program must
 * return `*exit_code` from main at once (after --help, or on a usage error that rank 0 has
 * explained); MPI is finalized then. */
bool example_begin(struct example *example, int argc, char **argv, int *exit_code);

/* Lets all ranks start together again, after work that the time does not contain. Collective over
 * MPI_COMM_WORLD. */
void example_restart(struct example *example);

/* Reports a usage error that only the program can find: rank 0 prints the reason, MPI is finalized.
 * Returns the exit code. */
int example_refuse(const struct example *example, const char *reason);

/* Waits for all ranks; rank 0 prints how long the iterations took, as `time: SECONDS s`. Collective
 * over MPI_COMM_WORLD. */
void example_report(const struct example *example);

/* Calls MPI_Finalize. `correct` says whether this rank's results are right; if not, the function
 * prints a message and returns exit code 1. Not collective before MPI_Finalize. */
int example_end(const struct example *example, bool correct);

/* Of `n` things in `parts` parts of nearly the same size, the first one of a part; of part number
 * `parts`: n. Model scripts have it as n * part // parts. */
int part_begin(int n, int parts, int part);

/* Zeroed memory for `count` doubles; calls MPI_Abort when there is none. The caller frees it. */
double *allocate_doubles(size_t count);

/* Seconds since some start. */
double clock_s(void);

/* Computation of a known length: spins on the clock, so that the length does not depend on the
 * machine. compute_until spins after real work until the given length is reached. */
void compute(double seconds);
void compute_until(double end_s);

#endif
