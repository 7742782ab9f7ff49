/* The OpenMP runtime that reports parallel regions to tools. GCC's reports nothing. LLVM's does,
 * and has the functions that programs built by GCC call, so silas-trace preloads it in its place.
 */
#ifndef MEASURE_OPENMP_RUNTIME_H
#define MEASURE_OPENMP_RUNTIME_H

#include "base/status.h"

#include <stddef.h>

#define OPENMP_RUNTIME "libomp.so.5"

/* Fails with STATUS_ENVIRONMENT if the runtime is not installed. */
enum status openmp_runtime_check(struct error *error);

/* Measures the costs of starting and ending teams of 2, 4, 8, ... threads, up to the number of
 * processors that this process may use, but at least 2. A child process measures, under the
 * environment that the program will have; this takes about 20 ms for each size. Writes the costs
 * into `text` in the form of the property SILAS::TEAM_COSTS; an empty text if they cannot be
 * measured. */
void openmp_runtime_measure(char *text, size_t size);

#endif
