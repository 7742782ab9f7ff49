/* Gathers all ranks' steps at process 0, where they are evaluated, and returns the outcome to the
 * owners. So the outcome cannot depend on the number of processes. */
#ifndef REPLAY_MODEL_JOIN_H
#define REPLAY_MODEL_JOIN_H

#include "replay/model/compile.h"

/* Collective. Moves the parts' steps into `equations`, which is complete on process 0 and without
 * steps elsewhere. */
enum status equations_join(struct part *part, const struct layout *layout,
                           struct equations *equations, struct error *error);
void equations_clear_steps(struct equations *equations);

/* Collective. Sends `ends` (process 0: one for each span of all ranks, in order) to the owners,
 * which get their own as `*own` (free it). */
enum status ends_return(const struct trace *trace, const struct equations *equations,
                        const int64_t *ends, int64_t **own, struct error *error);

#endif
