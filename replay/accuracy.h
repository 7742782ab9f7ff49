/* How well an identity replay reproduces the trace (doc/methods.md, section 1). */
#ifndef REPLAY_ACCURACY_H
#define REPLAY_ACCURACY_H

#include "trace/trace.h"

struct accuracy {
    double total_error;     /* (T_replay - T_trace) / T_trace, with its sign */
    double aggregate_error; /* sum over (call path, rank) of |difference of exclusive times|,
                               divided by ranks * T_trace */
};

/* Collective. `replayed` is a view of `recorded`. */
enum status accuracy_of(const struct trace *recorded, const struct trace *replayed,
                        struct accuracy *accuracy, struct error *error);

/* Adds to times[call path] the ticks in which it is the innermost one. */
void accuracy_add_exclusive(const struct stream *stream, const struct calltree *tree,
                            double *times);

#endif
