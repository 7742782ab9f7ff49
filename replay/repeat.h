/* Repeated runs of an engine, and their statistics (doc/methods.md, section 1). A prediction is a
 * median with an interval. A saving compares runs of the changed trace with runs of the unchanged
 * one, which alternate. */
#ifndef REPLAY_REPEAT_H
#define REPLAY_REPEAT_H

#include "replay/series.h"

/* Statistics over all runs of the two traces. */
struct repeat_estimates {
    struct estimate identity_s, changed_s;
    struct estimate total_error, aggregate_error; /* of the identity replay */
    struct estimate saving_s;                     /* baseline - changed, of pairs of runs */
    struct estimate saving_fraction;              /* saving_s as a part of the baseline */
    /* The saving_fraction between two runs of the real program, unchanged and changed. These lose
     * cores as the replays did, and the replays of the two programs have the error of the identity
     * replay. So the interval is wider by the differences in noise between any two replays (the
     * middle 90 % of them), by the median total error, and by what two runs differ in 95 % of the
     * cases if T varies by `run_spread`, or as much as the pace of the cores between the replays if
     * this is more. The lower bound is also lower by `overstated`, and the interval is wider by
     * `kind_error`. It contains that of saving_typical. Equal to saving_fraction without a
     * correction. */
    struct estimate saving_for_real;
    /* The saving_fraction between typical runs of the real program, which is the median of many
     * pairs. The interval contains that of saving_fraction, the differences between the recorded
     * run and others by `part_spread`, and `method_error`, as independent errors. The lower bound
     * is also lower by `overstated`. */
    struct estimate saving_typical;
};

struct repeat_result {
    size_t count;                         /* runs of each trace */
    struct repeat_runs identity, changed; /* all zero if it was not run */
    struct engine_facts facts;            /* of the changed trace; of the original without one */
    struct repeat_estimates estimates;
    bool corrected;                   /* noise is taken out */
    struct repeat_estimates measured; /* before the correction; all zero if there is none */
};

struct repeat_input {
    const struct engine *engine;
    struct engine_setup setup; /* `original` is filled in by repeat_run */
    const struct trace *original;
    const struct trace *changed; /* NULL: identity replay */
    size_t count;                /* >= 1 */
    double run_spread;   /* standard deviation of T between real runs, as a fraction; 0: unknown */
    double part_spread;  /* the same of the time of a part of the program, without the differences
                            that all parts share */
    double method_error; /* a fraction of T: typical changed runs differ as much from predictions of
                            such changes, in 95 % of the cases */
    double overstated; /* a fraction of T: changed real runs may save less than the prediction by as
                          much, because of what only the recording has */
    double kind_error; /* a fraction of T: so much do changed real runs differ from predictions
                          of changes that a replay contains only as the length of computation */
    bool against_trace; /* the baseline is the recorded time, not identity replays */
};

/* Collective. Prepares both traces, runs them alternately (the one that is first alternates, too)
 * and computes the statistics. On failure nothing is left to free. */
enum status repeat_run(const struct repeat_input *input, struct repeat_result *result,
                       struct error *error);
void repeat_result_clear(struct repeat_result *result);

/* By how much the saving between typical runs differs from a predicted one in 95 % of the cases,
 * without the error of the replays: a fraction of T. */
double repeat_typical_error(const struct repeat_input *input, double saving);

/* Computes the statistics of the runs in `result`, which series.h has made. Sets all other members
 * except the facts. */
enum status repeat_estimate(const struct repeat_input *input, struct repeat_result *result,
                            struct error *error);

#endif
