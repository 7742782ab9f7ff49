/* Names of functions from their addresses, out of the debugging information of the program and its
 * libraries (libdw), or of their symbol tables. */
#ifndef MEASURE_SYMBOLS_H
#define MEASURE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols;

struct symbol {
    const char *name;      /* as its source calls it, in C++ with namespace and class */
    const char *canonical; /* as the linker calls it */
    const char *file;      /* "" if unknown */
    uint32_t line;         /* 0 if unknown */
};

/* NULL when memory is out. */
struct symbols *symbols_open(void);
void symbols_close(struct symbols *symbols); /* NULL is allowed */

/* The function at `address` (as linked) of the object file at `path`. What is not known of it is
 * made up from the address. The text lives until the next call. False when memory is out. */
bool symbols_find(struct symbols *symbols, const char *path, uint64_t address,
                  struct symbol *symbol);

#endif
