/* How much of a program a run changes. */
#ifndef SWEEP_CHANGES_H
#define SWEEP_CHANGES_H

#include "job/replay_config.h"
#include "sweep/result.h"

/* Sets `changes` to the number of hypotheses, and `regions` to the number of regions of the trace
 * that they name; a hypothesis that names none (for example all messages of a size) counts as one.
 * If memory is out, each hypothesis counts as one. Not collective. */
void count_changes(const struct replay_config *config, const struct trace *trace,
                   struct run_result *result);

#endif
