/* How near a replay of an unchanged trace comes to the recording. */
#ifndef PROGRAMS_REPLAY_ACCURACY_H
#define PROGRAMS_REPLAY_ACCURACY_H

#include "trace/trace.h"

/* Collective. Aggregate absolute error (METHODS 1): the sum over call paths and ranks of
 * |exclusive time in the replay - in the recording|, divided by ranks x T of the recording. Both
 * have the same events. Not a number when memory is out. */
double accuracy_aggregate(const struct trace *recorded, const struct trace *replayed);

#endif
