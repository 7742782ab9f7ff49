/* How far time stamps may move without changing a prediction by more than a bound (doc/methods.md,
 * section 10). */
#ifndef REDUCTION_ROUNDING_H
#define REDUCTION_ROUNDING_H

#include "replay/costs/machine.h"
#include "trace/trace.h"

struct rounding_bound {
    double error;           /* the fraction of T by which predictions may differ */
    uint64_t length;        /* T, ticks */
    int64_t weight;         /* the largest number of moved time stamps on any path */
    uint64_t quantum;       /* ticks that each time stamp may move; 0: none may */
    struct machine machine; /* parameters of the whole recording, with which this holds */
};

/* Collective. The trace is matched. Fails if its equations have no solution. */
enum status rounding_find(const struct trace *trace, double error_of_t,
                          struct rounding_bound *bound, struct error *error);

#endif
