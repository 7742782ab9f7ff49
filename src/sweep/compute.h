/* Runs by the model: the trace is loaded, matched and evaluated once, then each run only changes
 * it.
 */
#ifndef SWEEP_COMPUTE_H
#define SWEEP_COMPUTE_H

#include "job/replay_session.h"
#include "sweep/objective.h"
#include "sweep/result.h"
#include "sweep/sweep.h"

struct compute_input {
    const struct replay_session *base; /* opened, without hypotheses; its engine computes */
    const struct sweep_run *const *runs;
    size_t count;
    const struct objective *objective;
    int workers; /* processes that share the loaded trace (fork, copy on write); 0: one per core.
                    Only if the job has one process, otherwise all compute each run together */
    /* Called on process 0 for each run as it ends, in any order. The result is lent. What `done`
     * returns other than STATUS_OK ends the sweep. */
    enum status (*done)(void *data, size_t run, struct run_result *result, struct error *error);
    void *data;
};

/* Collective. A run whose hypotheses cannot be applied is RUN_FAILED, with the message, and no
 * error of the whole. `engine` of the results is "model". A worker that dies (killed, out of
 * memory) fails the run that it was at, and is replaced. */
enum status compute_runs(const struct compute_input *input, struct error *error);

#endif
