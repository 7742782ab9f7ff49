/* Where an MPI call begins and ends among the rows of its region.
 *
 * A tracer's wrapper takes a stamp (Enter), records what starts (MpiSend, ...), calls MPI, records
 * what has ended (MpiRecv, ...), takes a stamp (Leave). What it does in between is the tracer's own
 * work and counts as computation beside the call, as in the paper: from Enter to the record of a
 * start, and from the record of an end to Leave. Behind the last stamp before the call it still
 * writes what it has stamped: that takes as long as where it can be seen. */
#ifndef TRACE_CALLS_REGIONS_H
#define TRACE_CALLS_REGIONS_H

#include "trace/trace.h"

/* An MPI region: its Enter and Leave, and between them the call itself, which begins `lead` ticks
 * behind its first row. */
struct call_rows {
    uint32_t enter, leave;
    uint32_t begin, end;
    uint64_t lead;
};

/* What a tracer's own work takes on a rank, in ticks. */
struct tracer_cost {
    uint64_t enter;  /* recording the Enter of a call, median */
    uint64_t record; /* recording one event more */
    uint64_t limit;  /* what takes longer belongs to the call */
};

/* All zero but the limit if the trace does not show it. */
struct tracer_cost tracer_cost_of(const struct trace *trace, const struct stream *stream);

/* The row that ends the region entered at `enter`; the last row if there is none. */
uint32_t region_leave(const struct stream *stream, uint32_t enter);

struct call_rows call_rows_find(const struct stream *stream, uint32_t enter, uint32_t leave,
                                const struct tracer_cost *cost);

/* The same for a record outside all MPI regions (a tracer that names its regions differently): the
 * call reaches back to an Enter or on to a Leave right beside it. */
struct call_rows call_rows_around(const struct stream *stream, uint32_t row);

#endif
