/* Functions of libraries that the program and its libraries call, by their dynamic relocations. */
#ifndef MEASURE_IMPORTED_FUNCTIONS_H
#define MEASURE_IMPORTED_FUNCTIONS_H

#include <stddef.h>

struct replaced_function {
    const char *name;
    void (*by)(void); /* of the same type as the function with this name */
};

/* Lets the objects that are loaded now call other functions in place of those that they import by
 * these names. Leaves objects as they are if they import a function whose name begins with
 * `unless`. Returns the number of relocations that it has changed. */
size_t imported_functions_replace(const char *unless, const struct replaced_function *functions,
                                  size_t count);

#endif
