/* From a built trace to a predicted one: matched, checked for deadlocks, with the times that the
 * model gives it. */
#ifndef PREDICTION_PREDICTED_H
#define PREDICTION_PREDICTED_H

#include "predict/evaluate.h"

struct prediction_outcome {
    double time_s; /* T */
    int64_t events;
    char *approximations; /* one line each; free it */
};

/* Collective. Fills the time columns of `trace` (from a builder) by the model's absolute mode with
 * the machine file at `hardware`. Fails, before anything is written, if messages do not match or
 * the program would hang; the text names ranks and calls. */
enum status predict_times(struct trace *trace, const char *hardware,
                          struct prediction_outcome *outcome, struct error *error);

/* Collective. Both: the trace of a script's program, with its times on the machine file at
 * `hardware`. Errors name the place in the script. The caller destroys `*trace`, also after a
 * failure; it may be NULL then. */
enum status script_predict(const struct evaluation *evaluation, const char *hardware,
                           struct processes *processes, struct trace **trace,
                           struct prediction_outcome *outcome, struct error *error);

/* Collective. The times that a matched trace has on a machine: `*view`, which the caller destroys,
 * has the computation of the trace, and calls as long as the machine file says. */
enum status predict_view(const struct trace *trace, const char *hardware, struct trace **view,
                         struct prediction_outcome *outcome, struct error *error);

#endif
