/* The runs of one trace by an engine. The trace is prepared once and run any number of times; runs
 * are corrected for lost cores, and the run with the median time is kept. Runs of several series
 * alternate, so that they can be compared (repeat.h, sweep/rounds.h). */
#ifndef REPLAY_SERIES_H
#define REPLAY_SERIES_H

#include "base/estimate.h"
#include "replay/engine.h"

/* The runs of one trace. */
struct repeat_runs {
    struct trace *median; /* the view filled by the run with the median time; trace_destroy */
    struct repeat_figures figures;  /* after the correction, if any (correction/correction.h) */
    struct repeat_figures measured; /* before it; all NULL without a correction */
    double *paces_s;                /* [runs], of engine_run; 0: not measured */
    double lost_s;                  /* by preemption, all runs and ranks */
    uint32_t disturbances;
    uint64_t wildcards, reordered; /* as in struct engine_run, all runs */
};

struct series;

struct series_input {
    const struct engine *engine;
    struct engine_setup setup;     /* `original` is filled in from the series `original` */
    const struct trace *trace;     /* outlives the series */
    const struct series *original; /* for a changed trace: the series of the unchanged one, whose
                                      measurements of the program the engine uses. NULL: this is the
                                      unchanged one; each run's error is found */
    bool idle;                     /* it is prepared, but will not be run */
};

/* Collective. Prepares the engine and the correction. `*facts` is the engine's (its approximations
 * are to be freed); on failure there is nothing to free or close. */
enum status series_open(const struct series_input *input, struct series **series,
                        struct engine_facts *facts, struct error *error);
void series_close(struct series *series); /* NULL is allowed */

/* Collective. The next `count` runs are written to `*runs`, which is all zero and outlives them.
 * The views of runs before are freed. */
enum status series_begin(struct series *series, size_t count, struct repeat_runs *runs,
                         struct error *error);

/* Collective. One of these runs; it is repeated once if ranks lost their cores for too long. Sets
 * the figures of the run in `runs`. To be called at most `count` times. */
enum status series_run(struct series *series, struct error *error);

/* The trace with the times of the last run. Valid until the next run. */
const struct trace *series_last(const struct series *series);

/* After the last run, which may be earlier than series_begin was told: sets `runs->median` to the
 * view of the run with the median time. */
void series_end(struct series *series);

/* Frees the members of `runs`. */
void repeat_runs_clear(struct repeat_runs *runs);

#endif
