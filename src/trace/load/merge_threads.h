/* Ranks whose threads take turns in communicating (MPI_THREAD_SERIALIZED): the threads' calls
 * become the rank's. */
#ifndef TRACE_MERGE_THREADS_H
#define TRACE_MERGE_THREADS_H

#include "base/status.h"
#include "trace/trace.h"

/* Moves the MPI calls that communicate from the carried streams of owned ranks into the ranks' own
 * streams, below the region that the main thread is in at that time. Events of the main thread
 * during such a call (none communicates) are moved to the call's end. One thread may begin a
 * request or a matched probe and another may end it. Call it when all streams are read and before
 * call paths are unified. Calls of two threads that overlap (MPI_THREAD_MULTIPLE) are an error.
 * `*ranks` counts the ranks with moved calls. */
enum status merge_threads(struct trace *trace, int64_t *ranks, struct error *error);

#endif
