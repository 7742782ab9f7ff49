/* How much of a predicted saving is the cost of recording. */
#ifndef JOB_TRACED_COST_H
#define JOB_TRACED_COST_H

#include "trace/trace.h"

/* Collective. If a hypothesis removes calls, the cost of recording them was at most this part of T
 * of the recording, on average over ranks: the program that is not recorded cannot save it. 0 if
 * nothing is removed, or if the archive does not state the costs (transform/compensate.h). */
double traced_cost_removed(const struct trace *original, const struct trace *changed);

#endif
