/* Recordings without the cost of tracing that their archives state. */
#ifndef REPLAY_UNTRACED_H
#define REPLAY_UNTRACED_H

#include "trace/trace.h"

/* Collective. Copies a matched recording and removes the cost of tracing from the computation of
 * the copy (transform/compensate.h); waits in the copy are still the recorded ones. `*untraced` is
 * a view of the copy with the times that the model computes for it (mode difference); NULL: only T
 * is needed. The caller destroys both, first the view; they are NULL after a failure, and if the
 * archive states no cost, which is no failure. `*time_s` is T without the cost. */
enum status untraced_make(const struct trace *recorded, struct trace **copy,
                          struct trace **untraced, double *time_s, struct error *error);

#endif
