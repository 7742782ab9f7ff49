/* Finds the names of functions by their addresses, in the debugging information of the program and
 * its libraries (libdw) or in their symbol tables. */
#ifndef MEASURE_SYMBOLS_H
#define MEASURE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct function_symbols;

struct function_symbol {
    const char *name;      /* in the source; in C++ with namespace and class */
    const char *canonical; /* of the linker (mangled) */
    const char *file;      /* "" if unknown */
    uint32_t line;         /* 0 if unknown */
};

/* NULL if out of memory. */
struct function_symbols *function_symbols_open(void);
void function_symbols_close(struct function_symbols *symbols); /* NULL is allowed */

/* Finds the function at `address` (as linked) of the object file at `path`. An unknown function
 * gets a name made from its address. The text is valid until the next call. False if out of
 * memory. */
bool function_symbols_find(struct function_symbols *symbols, const char *path, uint64_t address,
                           struct function_symbol *symbol);

/* The same for a construct of OpenMP (recorder/openmp.h), whose call of the runtime returns to the
 * address: its name is "!$omp parallel @file.c:12", or has the name of the function if the line is
 * unknown; file and line are those of the construct. */
bool construct_symbols_find(struct function_symbols *symbols, const char *path, uint64_t address,
                            uint32_t construct, struct function_symbol *symbol);

#endif
