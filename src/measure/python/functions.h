/* The regions of Python's functions. The interpreter keeps the region with the code object, in a
 * place that it has for such data. So finding the region takes some nanoseconds, and a new code
 * object at the address of an old one does not get the old region. */
#ifndef MEASURE_PYTHON_FUNCTIONS_H
#define MEASURE_PYTHON_FUNCTIONS_H

#include "measure/python/interpreter.h"
#include "measure/recorder/user_regions.h"

/* Requests the place in code objects and finds the interpreter's own library. Call it once, before
 * the functions below. False if the interpreter has no place left. */
bool functions_open(void);

extern ssize_t functions_place
    RECORD_HIDDEN; /* in code objects; holds the region + 2, or nothing */

/* Defines the region of a code object that has none yet. `frame` runs it; NULL: the calling
 * thread's current frame does. */
uint32_t function_define(struct python_object *code, struct python_object *frame);

/* The region, or USER_REGION_EXCLUDED. The calling thread holds the interpreter's lock. */
static inline uint32_t function_region(struct python_object *code, struct python_object *frame)
{
    void *known = NULL;
    python.get_extra(code, functions_place, &known);
    return __builtin_expect(known != NULL, 1) ? (uint32_t)((uintptr_t)known - 2)
                                              : function_define(code, frame);
}

static inline void function_enter(struct python_object *code, uint32_t region)
{
    if (region != USER_REGION_EXCLUDED)
        user_region_enter((uintptr_t)code, region);
}

static inline void function_leave(struct python_object *code, uint32_t region)
{
    if (region != USER_REGION_EXCLUDED)
        user_region_leave((uintptr_t)code);
}

/* Enters the functions that the calling thread is in, from the outermost: they were called before
 * their calls were seen. */
void functions_enter_open(void);

#endif
