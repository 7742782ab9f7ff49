/* Measures POP's efficiencies of a trace (report/pop.h; doc/methods.md, section 7): of the run, of
 * its regions, of the iterations of its main loop, and over time.
 *
 * T_ideal is the time of the same computation on an ideal network, by the model. A part of the run
 * begins and ends at other times there: an instant of the recording has an image on each rank, in
 * proportion between the images of the events around it. T_ideal of a part is the longest time
 * between the images of its borders, over the ranks. So no rank computes for longer than T_ideal.
 */
#ifndef EFFICIENCY_MEASURE_H
#define EFFICIENCY_MEASURE_H

#include "report/pop.h"
#include "trace/trace.h"

struct pop_options {
    bool regions;              /* a row for each region that is not an MPI call */
    bool iterations;           /* rows of the iterations of the longest loop (structure/) */
    uint32_t iteration_rows;   /* so many at most, each of as many iterations; 0: one for each */
    uint32_t windows;          /* so many rows of equal length over time; 0: none */
    const char *why_not_ideal; /* not NULL: T_ideal is not to be found, and this is why */
};

/* Collective; the trace is matched. On process 0 `*pop` belongs to `arena`, as all that it points
 * to; elsewhere it is NULL. A reduced trace has no T_ideal, nor has one whose ranks wait for each
 * other forever; `why_not_ideal` then has the message, and load balance and communication
 * efficiency are known all the same. Fails if memory is out. */
enum status pop_measure(const struct trace *trace, const struct pop_options *options,
                        struct arena *arena, const struct pop **pop, struct error *error);

#endif
