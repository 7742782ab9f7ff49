/* All ranks' steps at process 0, where they are evaluated, and the outcome back to the owners. So
 * the outcome cannot depend on how many processes there are. */
#ifndef REPLAY_MODEL_JOIN_H
#define REPLAY_MODEL_JOIN_H

#include "replay/model/compile.h"

/* Collective. Moves the parts' steps into `equations`, which is complete on process 0 and without
 * steps elsewhere. */
enum status equations_join(struct part *part, const struct layout *layout,
                           struct equations *equations, struct error *error);
void equations_clear_steps(struct equations *equations);

/* Collective. `ends` (process 0: one for each span of all ranks, in order) goes to the owners,
 * who get theirs as `*own` (free it). */
enum status ends_return(const struct trace *trace, const struct part *part, const int64_t *ends,
                        int64_t **own, struct error *error);

#endif
