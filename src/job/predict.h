/* Single predictions by an engine, without repeated runs and statistics: for engines that compute,
 * which say the same in every run. */
#ifndef JOB_PREDICT_H
#define JOB_PREDICT_H

#include "replay/engine.h"

/* Collective. Runs a prepared engine. `*view` is `trace` with the times that it predicts; T is
 * `*time_s`. The caller destroys the view, also after a failure. */
enum status engine_predict(const struct engine *engine, void *state, const struct trace *trace,
                           struct trace **view, double *time_s, struct error *error);

/* Collective. What becomes of a changed trace: prepares it, runs it once and lets it go again.
 * `setup->original` is the state of the unchanged one, which saves what they have in common.
 * `view` as above, or NULL if only T is wanted, which is faster. The engine computes. */
enum status engine_predict_changed(const struct engine *engine, const struct engine_setup *setup,
                                   const struct trace *changed, struct trace **view, double *time_s,
                                   struct error *error);

#endif
