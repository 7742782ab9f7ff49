/* How much of a program a run changes. */
#ifndef SWEEP_CHANGES_H
#define SWEEP_CHANGES_H

#include "job/replay_config.h"
#include "sweep/result.h"

/* Sets `result->changes` to the number of hypotheses, and `result->regions` to the number of
 * regions of the trace that they name. A hypothesis that names none (for example all messages of a
 * size) counts as one region, and so does each hypothesis when out of memory. Not collective. */
void run_result_count_changes(const struct replay_config *config, const struct trace *trace,
                              struct run_result *result);

#endif
