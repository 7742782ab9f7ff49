/* Reads a trace in slices of time that follow each other, for tools that need not hold all of it.
 *
 *     while (status == STATUS_OK && !last) {
 *         status = trace_slices_next(slices, from, &slice, &last, error);
 *         ...                                   what is before the new `from` is done with
 *     }
 *
 * The slices do not depend on the number of processes. */
#ifndef TRACE_SLICES_H
#define TRACE_SLICES_H

#include "trace/trace.h"

struct trace_slices;

/* Collective. `events` of all ranks are held at a time, at least a few thousand of each rank. Only
 * the ranks' own locations are read: some traces must be loaded as a whole (trace_peek tells).
 * Fails as trace_load does; then `*slices` is NULL. */
enum status trace_slices_open(const char *path, struct processes *processes, uint64_t events,
                              struct trace_slices **slices, struct error *error);

/* Collective. Drops the events before `from`, which lies in the slice before or at its end, and
 * reads on. The slice goes from `from` (the first one: from the first event) to slice->end, up to
 * which all ranks are read; some are read further. Its streams have regions, messages, collective
 * operations and flushes; the regions that are open at `from` come first, with the times when they
 * were entered. Of what was posted before, posts are not there. Call paths keep their numbers from
 * slice to slice. `*last`: it goes to the end of the trace. The slice is valid until the next call
 * and belongs to `slices`. */
enum status trace_slices_next(struct trace_slices *slices, uint64_t from, struct trace **slice,
                              bool *last, struct error *error);

void trace_slices_close(struct trace_slices *slices); /* NULL is allowed */

#endif
