/* What the OpenMP runtime does not report of programs built by GCC.
 *
 * Static loops: such a program computes each thread's iterations itself. It asks the runtime for
 * the number of threads and for the thread's number, and makes no other call. Optimised code asks
 * only once for all static loops of a parallel region. So a loop begins where the program asks, and
 * is taken to begin again after each barrier, other loop and sections of the same function. Its
 * end is not seen.
 *
 * Places of barriers and sections in the code. */
#ifndef MEASURE_GCC_CONSTRUCTS_H
#define MEASURE_GCC_CONSTRUCTS_H

#include <stdbool.h>

/* Lets `loop_begins` be called whenever a thread begins a static loop, or may begin the next one of
 * the same function; `place` is in its code. Does nothing in objects that clang has compiled.
 * Called once, when the OpenMP runtime starts. */
void gcc_constructs_watch(void (*loop_begins)(const void *place));

/* The calling thread begins another parallel region. */
void gcc_constructs_new_region(void);

/* Where the program calls the function of the runtime in which the calling thread is; otherwise
 * `place`, which the runtime has reported. */
const void *gcc_construct_place(const void *place);

/* True while the calling thread begins sections. */
bool gcc_construct_is_sections(void);

#endif
