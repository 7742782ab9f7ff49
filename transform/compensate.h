/* Removes the cost of tracing from a recording ([replay] compensate = yes). */
#ifndef TRANSFORM_COMPENSATE_H
#define TRANSFORM_COMPENSATE_H

#include "trace/trace.h"

struct compensation {
    double event_cost_s;    /* of an event, measured by the tracer; 0: nothing was removed */
    double function_cost_s; /* the same of an enter or leave of a region of the program */
    double mean_s;          /* removed from the computation of a rank, mean */
};

/* Collective. Shortens the computation of every rank in place. The archive gives the cost of an
 * event that reads the clock (SILAS::EVENT_COST_NS, SILAS::FUNCTION_COST_NS); a flush of a full
 * buffer (BufferFlush) costs its recorded length. If an interval is shorter than its cost, the rest
 * is removed from the next ones. Time inside MPI calls that communicate stays: the tracer reads the
 * clock before and after them, and a replay measures it anew. Fails with STATUS_INPUT if the
 * archive does not contain the cost of an event. */
enum status trace_compensate(struct trace *trace, struct compensation *result, struct error *error);

#endif
