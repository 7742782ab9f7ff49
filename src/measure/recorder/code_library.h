/* The library that has a piece of code. */
#ifndef MEASURE_CODE_LIBRARY_H
#define MEASURE_CODE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* True if the name of the library or program that has the code at an address, without its folder,
 * begins with one of `count` names. */
bool code_library_begins(const void *address, const char *const *names, size_t count);

#endif
