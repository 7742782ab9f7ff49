/* Ranks whose threads take turns in communicating (MPI_THREAD_SERIALIZED): their calls become the
 * rank's. */
#ifndef TRACE_MERGE_THREADS_H
#define TRACE_MERGE_THREADS_H

#include "base/status.h"
#include "trace/trace.h"

/* Moves the MPI calls that communicate from the carried streams of owned ranks into the ranks' own
 * streams, below the region that the main thread is in at that time. What the main thread does
 * during such a call (it communicates not) is moved to the call's end. Requests, and messages of
 * matched probes, may be begun by one thread and ended by another. To be called when all
 * streams are read and call paths are not unified yet. Calls of two threads that overlap
 * (MPI_THREAD_MULTIPLE) are an error. `*ranks` counts the ranks where something was moved. */
enum status merge_threads(struct trace *trace, int64_t *ranks, struct error *error);

#endif
