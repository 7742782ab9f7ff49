/* The runs of one trace by an engine: it is prepared once, run any number of times, corrected for
 * lost cores, and the run with the median time is kept. Several series are run in turns, so that
 * their runs can be compared (repeat.h, sweep/rounds.h). */
#ifndef REPLAY_SERIES_H
#define REPLAY_SERIES_H

#include "base/estimate.h"
#include "replay/engine.h"

/* The runs of one trace. */
struct repeat_runs {
    struct trace *median; /* the view filled by the run with the median time; trace_destroy */
    struct repeat_figures figures; /* without noise, if it is corrected (correction/correction.h) */
    struct repeat_figures measured; /* before the correction; all NULL if there is none */
    double lost_s;                  /* by preemption, all runs and ranks */
    uint32_t disturbances;
    uint64_t wildcards, reordered; /* as in struct engine_run, all runs */
    uint32_t discarded;            /* runs that lost too much and were repeated */
};

struct series;

struct series_input {
    const struct engine *engine;
    struct engine_setup setup;     /* `original` is filled in from the series `original` */
    const struct trace *trace;     /* outlives the series */
    const struct series *original; /* of the unchanged trace, from which a changed one takes over
                                      what the engine has measured about the program; NULL: this is
                                      the unchanged one, and its errors are found for each run */
    bool idle;                     /* is prepared, but will not be run */
};

/* Collective. Prepares the engine and the correction. `*facts` is the engine's (its approximations
 * are to be freed); on failure there is nothing to free or close. */
enum status series_open(const struct series_input *input, struct series **series,
                        struct engine_facts *facts, struct error *error);
void series_close(struct series *series); /* NULL is allowed */

/* Collective. The next `count` runs are written into `*runs`, which is all zero and outlives them.
 * Of runs before, nothing is kept. */
enum status series_begin(struct series *series, size_t count, struct repeat_runs *runs,
                         struct error *error);

/* Collective. One of these runs; it is repeated once if it lost too much. Sets the figures of the
 * run in `runs`. At most `count` times. */
enum status series_run(struct series *series, struct error *error);

/* The trace as the last run has it. Valid until the next. */
const struct trace *series_last(const struct series *series);

/* Gives the view of the run with the median time to `runs->median`, when all runs are done. */
void series_end(struct series *series);

/* Frees what series_begin and series_end have put into `runs`. */
void repeat_runs_clear(struct repeat_runs *runs);

#endif
