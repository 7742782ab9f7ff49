/* Runs by real-time replay: one job, one tuning. In each round the unchanged trace and all changed
 * ones are replayed once, in random order, so a run's saving is found within the round, and what
 * changes slowly on the machine cancels (doc/methods.md, section 12). */
#ifndef SWEEP_ROUNDS_H
#define SWEEP_ROUNDS_H

#include "job/replay_session.h"
#include "sweep/objective.h"
#include "sweep/result.h"
#include "sweep/sweep.h"

struct rounds_input {
    const struct replay_session *base; /* opened, without hypotheses; engine realtime */
    const struct sweep_run *const *runs;
    size_t count;
    const struct objective *objective;
    size_t rounds;
    uint64_t seed;
    const char *journal; /* file to which each complete round is appended, and whose rounds are not
                            repeated; NULL: none */
    const char
        *reports; /* folder; the reports of run NAME are written into NAME/ there. NULL: none */
    /* Called on process 0 for each run when all rounds are done, or when it has failed. The
     * result is lent. */
    enum status (*done)(void *data, size_t run, struct run_result *result, struct error *error);
    void *data;
};

/* Collective. A run whose hypotheses cannot be applied is RUN_FAILED and no error of the whole. A
 * replay that fails for good ends the job with its error, after `done` was told which run it was.
 */
enum status rounds_replay(const struct rounds_input *input, struct error *error);

#endif
