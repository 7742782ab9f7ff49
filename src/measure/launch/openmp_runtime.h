/* The OpenMP runtime that reports parallel regions to tools. GCC's reports nothing. LLVM's does,
 * and has the functions that programs built by GCC call, so silas-trace preloads it in its place.
 */
#ifndef MEASURE_OPENMP_RUNTIME_H
#define MEASURE_OPENMP_RUNTIME_H

#include "base/status.h"

#define OPENMP_RUNTIME "libomp.so.5"

/* Fails with STATUS_ENVIRONMENT if the runtime is not installed. */
enum status openmp_runtime_check(struct error *error);

/* What the runtime does under the environment that the program will have; texts are empty if it
 * cannot be found out. */
struct openmp_measurement {
    char threads[12]; /* of a parallel region that asks for no number: SILAS::OMP_THREADS */
    char costs[1000]; /* of starting and ending teams: SILAS::TEAM_COSTS */
};

/* Measures teams of 2, 4, 8, ... threads, up to the number of processors that this process may use,
 * but at least 2. A child process measures; this takes about 20 ms for each size. */
struct openmp_measurement openmp_runtime_measure(void);

#endif
