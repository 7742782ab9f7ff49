/* Which functions of libraries the program and its libraries call, by their dynamic relocations. */
#ifndef MEASURE_IMPORTED_FUNCTIONS_H
#define MEASURE_IMPORTED_FUNCTIONS_H

#include <stdbool.h>

/* True if the executable imports a function whose name begins with `prefix`; with `libraries`, also
 * if a library imports it that is loaded now. */
bool function_is_imported(const char *prefix, bool libraries);

#endif
