/* Metrics of a part of a trace (doc/methods.md, sections 7 and 9). */
#ifndef STRUCTURE_METRICS_H
#define STRUCTURE_METRICS_H

#include "structure/cut.h"

struct part_metrics {
    double parallel, load_balance,
        communication;  /* POP's efficiencies; 0: the part has no length */
    double mpi_s;       /* in calls that communicate: mean of the ranks */
    int64_t bytes_sent; /* by calls in the part, of all ranks */
};

/* Ticks from begin to end in which a rank computes: outside of calls that communicate. */
uint64_t stream_computation(const struct trace *trace, const struct stream *stream, uint64_t begin,
                            uint64_t end);

/* Collective. `ranges` [owned rank]: the part of each rank; an empty one counts as no time. T is
 * `length`, ticks; 0: the longest of the ranges. */
void part_measure(const struct trace *trace, const struct cut_range *ranges, uint64_t length,
                  struct part_metrics *metrics);

#endif
