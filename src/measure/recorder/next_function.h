/* The function that a function of the tracer with the same name replaces. */
#ifndef MEASURE_NEXT_FUNCTION_H
#define MEASURE_NEXT_FUNCTION_H

#include <assert.h>
#include <dlfcn.h>
#include <stdint.h>

/* The function of this name in the libraries that follow the tracer: that of the library, or of
 * another tool. NULL: it is not among the libraries that are searched. */
static inline void (*next_function(const char *name))(void)
{
    assert(name);
    return (void (*)(void))(uintptr_t)dlsym(RTLD_NEXT, name);
}

#endif
