/* Removes the cost of tracing from a recording ([replay] compensate = yes; predictions). */
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

/* The cost of an event that reads the clock, and of the enter or leave of a function or of a
 * manually instrumented region. */
struct event_costs {
    double event, function; /* ticks */
};

/* Reads the costs that the archive states; `*stated`: it does. Fails with STATUS_INPUT if they are
 * no numbers. */
enum status event_costs_read(const struct trace *trace, struct event_costs *costs, bool *stated,
                             struct error *error);

/* Ticks of the tracer's work between the row and the previous one, without flushes. Records with
 * the same time stamp share one reading of the clock. */
double event_cost_before(const struct trace *trace, const struct stream *stream, uint32_t row,
                         const struct event_costs *costs);

/* Takes what is owed off a length in ticks: returns what is left. `*owed` is then what is still
 * owed, if the length was shorter. */
static inline uint64_t take_owed(uint64_t length, double *owed)
{
    uint64_t whole = *owed < (double)length ? (uint64_t)*owed : length;
    *owed -= (double)whole;
    return length - whole;
}

#endif
