/* Threads that a program has created itself, with pthread_create. They are in no team. */
#ifndef THREADS_POSIX_H
#define THREADS_POSIX_H

#include "trace/trace.h"

/* Collective. Warns if threads were created for whose end no thread waits in the recording. */
void posix_threads_check(const struct trace *trace);

/* True for calls that create threads or wait for their end. */
bool region_manages_threads(const struct region *region);

#endif
