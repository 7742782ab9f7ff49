/* Single predictions by an engine that computes. Its result is the same in every run, so there are
 * no repeated runs and no statistics. */
#ifndef JOB_PREDICT_H
#define JOB_PREDICT_H

#include "replay/engine.h"

/* Collective. Runs a prepared engine. `*view` is `trace` with the predicted times; `*time_s` is T.
 * The caller destroys the view; after a failure it is NULL. */
enum status engine_predict(const struct engine *engine, void *state, const struct trace *trace,
                           struct trace **view, double *time_s, struct error *error);

/* Collective. Predicts a changed trace: prepares the engine for it, runs it once and releases it.
 * `setup->original` is the engine's state for the unchanged trace, whose data the engine reuses
 * where both traces are equal. `view`: as above, or NULL if only T is needed, which is faster. */
enum status engine_predict_changed(const struct engine *engine, const struct engine_setup *setup,
                                   const struct trace *changed, struct trace **view, double *time_s,
                                   struct error *error);

/* Collective. Predicts T of a trace under hypotheses, the sections of a configuration. `setup`: as
 * above. `*can`: false if they cannot be applied to it, as in a trace that was reduced without
 * assuming them. Fails for other reasons only. */
enum status engine_predict_sections(const struct engine *engine, const struct engine_setup *setup,
                                    const struct trace *trace, const char *sections, bool *can,
                                    double *time_s, struct error *error);

#endif
