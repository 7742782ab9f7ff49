/* Runs by real-time replay: one job, tuned once. Each round replays the unchanged trace and all
 * changed traces once, in random order. The saving of a run is found within the round, so slow
 * drifts of the machine cancel (doc/methods.md, section 12). */
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
    bool may_stop; /* runs whose savings are precise enough after PAIRED_FEWEST rounds
                      (base/paired.h) get no more */
    uint64_t seed;
    const char *journal; /* file to which each complete round is appended, and whose rounds are not
                            repeated; NULL: none */
    const char *reports; /* folder in which NAME/ gets the report of run NAME; NULL: no reports */
    /* Called on process 0 for each run when all rounds are done, or when it has failed. The result
     * is valid during the call. */
    enum status (*done)(void *data, size_t run, struct run_result *result, struct error *error);
    void *data;
};

/* Collective. A run whose hypotheses cannot be applied becomes RUN_FAILED and is no error of this
 * function. If a replay fails, the function fails with its error, after `done` was called for that
 * run. */
enum status rounds_replay(const struct rounds_input *input, struct error *error);

#endif
