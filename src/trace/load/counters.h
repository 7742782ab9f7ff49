/* Counters that an archive records, such as PAPI_TOT_INS (metrics of OTF2). The trace in memory
 * does not have them; they are read again from its archive. */
#ifndef TRACE_LOAD_COUNTERS_H
#define TRACE_LOAD_COUNTERS_H

#include "base/array.h"
#include "trace/trace.h"

/* The value of a counter over a part of the time: its rate (per tick) if it counts, otherwise the
 * value itself. */
struct counter_part {
    uint64_t begin, end; /* ticks */
    double value;
};

typedef ARRAY(struct counter_part) counter_part_list;

struct counter {
    uint32_t owned_count;
    counter_part_list *ranks; /* [owned rank], in order of time */
};

/* Collective. Reads what the main locations of owned ranks have recorded of the counter. Free it
 * with counter_clear. Fails with STATUS_INPUT if the archive has no counter of that name, if no
 * rank has values of it, or if the trace is not an archive of OTF2 with one rank per process; then
 * nothing is left to free. */
enum status counter_load(const struct trace *trace, const char *name, struct counter *counter,
                         struct error *error);
void counter_clear(struct counter *counter); /* all zero is allowed */

#endif
