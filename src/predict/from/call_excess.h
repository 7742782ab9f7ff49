/* What the calls of a recording took beyond what the hardware file says, because a rank had lost
 * its core, or a message or an operation cost more than LogGPS says. */
#ifndef PREDICTION_FROM_CALL_EXCESS_H
#define PREDICTION_FROM_CALL_EXCESS_H

#include "trace/trace.h"

struct excess_call {
    uint32_t enter; /* row */
    int64_t ticks;  /* how much longer than on the machine the call was, without waiting */
};

struct excess_of_calls {
    struct excess_call *calls; /* of the owned ranks, rank after rank, in order */
    size_t *first;             /* [owned ranks + 1] */
};

/* Collective. Compares a matched trace with what the model computes for it with the machine file.
 * After a failure nothing is left to free. */
enum status call_excess_measure(const struct trace *trace, const char *hardware,
                                struct excess_of_calls *excess, struct error *error);
void call_excess_clear(struct excess_of_calls *excess); /* all zero is allowed */

#endif
