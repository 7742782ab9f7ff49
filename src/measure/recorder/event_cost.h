/* The cost of the tracer itself, measured in the traced process. */
#ifndef MEASURE_EVENT_COST_H
#define MEASURE_EVENT_COST_H

/* The cost in ns of reading the clock and storing one record, which a wrapper pays twice. 0 if
 * memory is out. */
double event_cost_ns(void);

/* One enter or leave of a function compiled with -finstrument-functions, nanoseconds: the call of
 * the hook, the search for the function, the record. 0 if memory is out. The calling thread must
 * not record anything meanwhile. Leaves an address of no function in the table of functions. */
double event_cost_function_ns(void);

#endif
