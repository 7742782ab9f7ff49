/* The filter of silas-trace --filter: which functions and regions are not recorded, by patterns on
 * their names (doc/silas-trace.1). */
#ifndef MEASURE_USER_FILTER_H
#define MEASURE_USER_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a hand-set region of this name is excluded. */
bool user_filter_excludes(const char *name);

/* Calls `exclude` with the address, as linked, of each function of the object file at `path` that
 * is excluded. Warns if the names of its functions cannot be read. Nothing without a filter. */
void user_filter_functions(const char *path, void (*exclude)(void *data, uint64_t address),
                           void *data);

#endif
