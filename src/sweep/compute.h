/* Runs by the model: the trace is loaded, matched and evaluated once, and then changed for each
 * run.
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
                    Only if the job has one process; otherwise all processes compute each run
                    together */
    /* Called on process 0 for each finished run, in any order; the result is valid during the call.
     * A status other than STATUS_OK ends the sweep. */
    enum status (*done)(void *data, size_t run, struct run_result *result, struct error *error);
    void *data;
};

/* Collective. A run whose hypotheses cannot be applied becomes RUN_FAILED, with a message, and is
 * no error of this function. `engine` of the results is "model". If a worker dies (killed, or out
 * of memory), its current run fails and another worker takes its place. */
enum status compute_runs(const struct compute_input *input, struct error *error);

#endif
