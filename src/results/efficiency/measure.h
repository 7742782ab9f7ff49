/* Computes POP's efficiencies of a trace (report/pop.h; doc/methods.md, section 7): of the run, its
 * regions, the iterations of its main loop, and windows of time.
 *
 * T_ideal is the time of the same computation on an ideal network, by the model. To find it for a
 * part of the run, each border of the part is mapped to the ideal run on each rank, by linear
 * interpolation between the events around it. T_ideal is the longest time between the mapped
 * borders over the ranks. So no rank computes for longer than T_ideal.
 */
#ifndef EFFICIENCY_MEASURE_H
#define EFFICIENCY_MEASURE_H

#include "report/pop.h"
#include "trace/trace.h"

struct pop_options {
    bool regions;              /* a row for each region that is not an MPI call */
    bool iterations;           /* rows of the iterations of the longest loop (structure/) */
    uint32_t iteration_rows;   /* at most this number of rows, with equal numbers of iterations; 0:
                                  one row per iteration */
    uint32_t windows;          /* number of windows of equal length; 0: none */
    const char *why_not_ideal; /* not NULL: T_ideal is not computed, for this reason */
};

/* Collective. The trace must be matched. On process 0 `*pop` and everything it points to belong to
 * `arena`; elsewhere it is NULL. Reduced traces and traces that end in a deadlock have no T_ideal;
 * then `why_not_ideal` has the reason, and the factors that need T_ideal are NAN. Fails when memory
 * is out. */
enum status pop_measure(const struct trace *trace, const struct pop_options *options,
                        struct arena *arena, const struct pop **pop, struct error *error);

#endif
