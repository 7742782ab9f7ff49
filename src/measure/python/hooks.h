/* The two ways in which the interpreter reports calls. Both attach once, by a thread that holds
 * the interpreter's lock. */
#ifndef MEASURE_PYTHON_HOOKS_H
#define MEASURE_PYTHON_HOOKS_H

#include <stdbool.h>

/* sys.monitoring (Python 3.12 and newer): for all threads at once, and in addition to profilers of
 * the program's own. Code that the filter leaves out costs nothing after its first call. False if
 * other tools have taken all of its places. */
bool monitoring_attach(void);

/* The profile function of the C API (older ones): for the calling thread, and for those that
 * Python's module threading starts from now on. */
void profile_attach(void);

/* The program sets or removes a profile function in the calling thread: ours ends there, and
 * returns when the thread has none any more (only the main thread's). Once a warning. */
void profile_contested(void);

#endif
