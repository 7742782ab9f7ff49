/* Reads a trace in consecutive slices of time, for programs that do not need all of it in memory.
 *
 *     while (status == STATUS_OK && !last) {
 *         status = trace_slices_next(slices, from, &slice, &last, error);
 *         ...                                   events before the new `from` are not needed any
 * more
 *     }
 *
 * The slices do not depend on the number of processes. */
#ifndef TRACE_SLICES_H
#define TRACE_SLICES_H

#include "trace/trace.h"

struct trace_slices;

/* Collective. Holds about `events` events of all ranks in memory at a time, at least LEAST_ROWS of
 * each rank. Reads the ranks' own locations only; some traces must be loaded as a whole
 * (trace_size.whole). Fails as trace_load does. Close with trace_slices_close; after a failure
 * `*slices` is NULL. */
enum status trace_slices_open(const char *path, struct processes *processes, uint64_t events,
                              struct trace_slices **slices, struct error *error);

/* Collective. Drops the events before `from`, which must lie in the previous slice or at its end,
 * and reads further events. The slice extends from `from` (the first slice: from the first event)
 * to slice->end, the time up to which all ranks have been read; some ranks are read further. Its
 * streams have regions, messages, collective operations and flushes. The regions that are open at
 * `from` come first, with the times at which they were entered. Messages and operations posted
 * before `from` have no post. Call paths have the same numbers in all slices. `*last`: the slice
 * extends to the end of the trace. The slice is valid until the next call and belongs to `slices`.
 */
enum status trace_slices_next(struct trace_slices *slices, uint64_t from, struct trace **slice,
                              bool *last, struct error *error);

void trace_slices_close(struct trace_slices *slices); /* NULL is allowed */

#endif
