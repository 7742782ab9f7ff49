/* Functions compiled with -finstrument-functions: their addresses become regions at the first call;
 * their names are looked up when the archive is written. */
#ifndef MEASURE_USER_FUNCTIONS_H
#define MEASURE_USER_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Adds a function and its region to the table of functions. False when memory is out. */
bool user_function_known_as(const void *address, uint32_t region);

/* The compiler's hooks, which programs call. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

#endif
