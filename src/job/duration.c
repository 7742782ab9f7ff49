#include "job/duration.h"

#include <assert.h>
#include <math.h>

/* These are bounds for a usual machine, not measurements of this one: an estimate that is too long
 * costs nothing, but a job whose time limit is too short is lost. */
static const double START_S = 5;                  /* launcher, MPI_Init, reports */
static const double LOADED_EVENTS_PER_S = 2e6;    /* by one process */
static const double REPLAYED_EVENTS_PER_S = 2e6;  /* correction and comparison after a replay */
static const double PREDICTED_EVENTS_PER_S = 2e6; /* change, equations and evaluation */

/* Trials replay a third of the trace, at most LONGEST_TRIAL_S, usually eight times; trials of short
 * traces are repeated for SHORT_TRIALS_S together (replay/realtime/shortfall.c, trial_part.c). */
enum { TRIALS = 8 };
static const double TRIAL_PART = 1.0 / 3, LONGEST_TRIAL_S = 5, SHORT_TRIALS_S = 0.8;

double duration_of_start(const struct trace_size *size)
{
    return START_S + (double)size->events / LOADED_EVENTS_PER_S;
}

double duration_of_trials(double length_s)
{
    assert(length_s >= 0);
    return SHORT_TRIALS_S + TRIALS * fmin(TRIAL_PART * length_s, LONGEST_TRIAL_S);
}

double duration_of_replay(const struct trace_size *size, double length_s)
{
    assert(size->rank_count > 0 && length_s >= 0);
    return length_s + (double)size->events / size->rank_count / REPLAYED_EVENTS_PER_S;
}

double duration_of_prediction(const struct trace_size *size)
{
    return (double)size->events / PREDICTED_EVENTS_PER_S;
}
