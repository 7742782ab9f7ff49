/* Where an MPI call begins and ends within its region.
 *
 * A tracer's wrapper takes a time stamp (Enter), records operations that start (MpiSend, ...),
 * calls MPI, records operations that have ended (MpiRecv, ...), and takes a time stamp (Leave). The
 * tracer's own work, from Enter to the record before the call and from the record after the call to
 * Leave, counts as computation, not as part of the call. After the last time stamp before the call
 * the wrapper still has to write its record; this is assumed to take as long as the writes that can
 * be measured. The record of a new request counts as written before the call if it has the time
 * stamp of the Enter. */
#ifndef TRACE_CALLS_REGIONS_H
#define TRACE_CALLS_REGIONS_H

#include "trace/trace.h"

/* An MPI region: its Enter and Leave, and the first and last row of the call itself, which begins
 * `lead` ticks after row `begin`. */
struct call_rows {
    uint32_t enter, leave;
    uint32_t begin, end;
    uint64_t lead;
};

/* The duration of the tracer's own work on a rank, in ticks. */
struct tracer_cost {
    uint64_t enter;  /* recording the Enter of a call, median */
    uint64_t record; /* recording one further event */
    uint64_t limit;  /* longer intervals are taken for a part of the call */
};

/* Estimates the cost from the trace, or takes the tracer's own figure. All zero except the limit if
 * neither is possible. */
struct tracer_cost tracer_cost_of(const struct trace *trace, const struct stream *stream);

/* The Leave of the region entered at `enter`; the last row if there is none. */
uint32_t region_leave(const struct stream *stream, uint32_t enter);

struct call_rows call_rows_find(const struct stream *stream, uint32_t enter, uint32_t leave,
                                const struct tracer_cost *cost);

/* The call of a record outside all MPI regions, for tracers that give MPI regions other names. The
 * call extends to an Enter directly before the record or a Leave directly after it. */
struct call_rows call_rows_around(const struct stream *stream, uint32_t row);

#endif
