/* The trace that questions to the model are about, and its model. */
#ifndef PROGRAMS_ASKED_TRACE_H
#define PROGRAMS_ASKED_TRACE_H

#include "job/replay_output.h"
#include "job/replay_session.h"
#include "job/timeline_output.h"
#include "replay/engine.h"
#include "replay/model/model.h"

struct asked_trace {
    const struct replay_session *session; /* NULL: of no session */
    struct modelled_trace modelled;
    struct model_options options;
    struct engine_setup setup; /* with these options */
    struct job_output output;  /* all zero: nothing is written */
};

/* With which further hypotheses about the trace are predicted. It refers to `*options`, which it
 * sets. */
struct engine_setup question_setup(const struct asked_trace *asked, struct model_options *options);

/* Collective. T of the trace, by the model. */
double question_time_s(const struct asked_trace *asked);

/* Collective. Predicts T of the trace with further hypotheses, sections of a configuration. `*can`:
 * false if they cannot be applied to it, as in a trace that was reduced without assuming them. */
enum status question_predict(const struct asked_trace *asked, const char *sections, bool *can,
                             double *time_s, struct error *error);

#endif
