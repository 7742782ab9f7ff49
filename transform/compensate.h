/* Takes the tracer's own work out of a recording ([replay] compensate = yes). */
#ifndef TRANSFORM_COMPENSATE_H
#define TRANSFORM_COMPENSATE_H

#include "trace/trace.h"

struct compensation {
    double event_cost_s;    /* of an event, as the tracer has measured it; 0: nothing taken out */
    double function_cost_s; /* the same of an enter or leave of a region of the program */
    double mean_s;          /* taken out of a rank's computation, on average */
};

/* Collective. Shortens the computation of every rank in place: each event that reads the clock
 * costs what the archive says (SILAS::EVENT_COST_NS, SILAS::FUNCTION_COST_NS), and exchanges of
 * full buffers (BufferFlush) what they took. An interval cannot become shorter than nothing: what
 * is left is taken from the next ones. Time inside MPI calls that communicate stays: the tracer
 * reads the clock before and after them, and a replay finds out what they take. Fails with
 * STATUS_INPUT if the archive does not say what an event costs. */
enum status trace_compensate(struct trace *trace, struct compensation *result, struct error *error);

#endif
