/* Where an MPI call begins and ends among the rows of its region.
 *
 * A tracer's wrapper takes a stamp (Enter), records what starts (MpiSend, ...), calls MPI, records
 * what has ended (MpiRecv, ...), takes a stamp (Leave). What lies between Enter and the record of a
 * start, and between the record of an end and Leave, is the tracer's own work: it counts as
 * computation beside the call, as in the paper. */
#ifndef REPLAY_REALTIME_REGIONS_H
#define REPLAY_REALTIME_REGIONS_H

#include "trace/trace.h"

/* An MPI region: its Enter and Leave, and between them the call itself. */
struct call_rows {
    uint32_t enter, leave;
    uint32_t begin, end;
};

/* The row that ends the region entered at `enter`; the last row if there is none. */
uint32_t region_leave(const struct stream *stream, uint32_t enter);

/* `tracer_limit`: ticks that a tracer's own work may take at most; what is longer belongs to the
 * call. */
struct call_rows call_rows_find(const struct stream *stream, uint32_t enter, uint32_t leave,
                                uint64_t tracer_limit);

/* The same for a record outside all MPI regions (a tracer that names its regions differently): the
 * call reaches back to an Enter or on to a Leave right beside it. */
struct call_rows call_rows_around(const struct stream *stream, uint32_t row);

/* Classes of records. */
bool event_starts_call(enum event_kind kind); /* recorded before MPI is called */
bool event_ends_call(enum event_kind kind);   /* recorded after it */

/* What the region entered at this row is. */
enum mpi_call region_call(const struct trace *trace, const struct stream *stream, uint32_t enter);

#endif
