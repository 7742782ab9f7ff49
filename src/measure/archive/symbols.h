/* Finds the names of functions, and the places of constructs and MPI calls in the source, by their
 * addresses: in the debugging information of the program and its libraries (libdw), or in their
 * symbol tables. */
#ifndef MEASURE_SYMBOLS_H
#define MEASURE_SYMBOLS_H

#include "measure/archive/rank_definitions.h"

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

/* The same for an MPI call that returns to the address: it has the name of the MPI function, and
 * file and line of the call. If the line is unknown, the file is "solve+0x1f4", which is the
 * address as its distance from the start of a function, or of the object file. */
bool call_symbols_find(struct function_symbols *symbols, const char *path, uint64_t address,
                       uint32_t call, struct function_symbol *symbol);

/* The same for a region without a name, whatever it is. */
bool region_symbols_find(struct function_symbols *symbols,
                         const struct rank_definitions *definitions,
                         const struct rank_region *region, struct function_symbol *symbol);

#endif
