/* Repeated runs of an engine, and what they say: a prediction is a median with an interval, and a
 * saving compares runs of the changed trace with runs of the original, taken in turns
 * (doc/methods.md, section 1).
 */
#ifndef REPLAY_REPEAT_H
#define REPLAY_REPEAT_H

#include "replay/accuracy.h"
#include "replay/engine.h"
#include "base/estimate.h"

/* What one run of a trace says. */
struct repeat_figures {
    double *times_s;      /* [count], in order of the runs */
    double *total_errors; /* [count], of an identity replay (accuracy.h); NULL otherwise */
    double *aggregate_errors;
};

/* The runs of one trace. */
struct repeat_runs {
    struct trace *median; /* the view filled by the run with the median time; trace_destroy */
    struct repeat_figures figures;  /* noise taken out, if it is (correction/correction.h) */
    struct repeat_figures measured; /* before; all NULL if it is not */
    double lost_s;                  /* by preemption, all runs and ranks */
    uint32_t disturbances;
    uint64_t wildcards, reordered; /* as in struct engine_run, all runs */
    uint32_t discarded;            /* runs that lost too much and were made once more */
};

/* The same for all runs. */
struct repeat_estimates {
    struct estimate identity_s, changed_s;
    struct estimate total_error, aggregate_error; /* of the identity replay */
    struct estimate saving_s;                     /* baseline - changed, of the pairs */
    struct estimate saving_fraction;              /* the same as a part of the baseline */
    /* The fraction that two runs of the real program would show, unchanged and changed: they lose
     * cores as the replays did, and a replay is as wrong as it is about the unchanged program. The
     * interval is wider by the differences in noise of any two replays (the middle 90 % of them)
     * and by the median total error. As saving_fraction where nothing was corrected. */
    struct estimate saving_for_real;
};

struct repeat_result {
    size_t count;                         /* runs of each trace */
    struct repeat_runs identity, changed; /* what was not run is all zero */
    struct engine_facts facts;            /* of the changed trace if there is one */
    struct repeat_estimates estimates;
    bool corrected;                   /* noise is taken out */
    struct repeat_estimates measured; /* before; all zero if it is not */
};

struct repeat_input {
    const struct engine *engine;
    struct engine_setup setup; /* `original` is filled in by repeat_run */
    const struct trace *original;
    const struct trace *changed; /* NULL: identity replay */
    size_t count;                /* >= 1 */
    bool against_trace;          /* the baseline is the recorded time, not identity replays */
};

/* Collective. Prepares both traces, runs them in turns (changed and original first alternately) and
 * sums up. On failure nothing is left to free. */
enum status repeat_run(const struct repeat_input *input, struct repeat_result *result,
                       struct error *error);
void repeat_result_clear(struct repeat_result *result);

#endif
