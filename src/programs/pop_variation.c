#include "programs/pop_variation.h"

#include "job/predict.h"
#include "reduce/assumptions.h"
#include "replay/model/model.h"
#include "transform/hypothesis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model of the unchanged trace. */
struct varied_trace {
    const struct trace *trace;
    const struct engine *engine;
    struct model_options options;
    void *state;
    double time_s;
};

/* Collective. Sets `*saved_s` to T minus T without some variation. */
static enum status try_without(const struct varied_trace *varied, const char *what, double *saved_s,
                               struct error *error)
{
    const struct engine_setup setup = {.options = &varied->options, .original = varied->state};
    char text[64];
    struct ini *ini = NULL;
    struct hypothesis *hypotheses = NULL;
    struct trace *changed = NULL;
    size_t count = 0;
    double time_s = 0;
    snprintf(text, sizeof text, "[variation]\nremove = %s\n", what);
    enum status status =
        ini_parse_text("the variation", text, strlen(text), &ini, error)
            ?: hypotheses_parse(ini, &hypotheses, &count, error)
            ?: assumptions_check(varied->trace, hypotheses, count, error)
            ?: hypotheses_apply(hypotheses, count, varied->trace, &changed, NULL, error)
            ?: engine_predict_changed(varied->engine, &setup, changed, NULL, &time_s, error);
    *saved_s = status == STATUS_OK ? varied->time_s - time_s : NAN;
    trace_destroy(changed);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
    return status == STATUS_INPUT ? STATUS_OK : status;
}

enum status pop_variation_save(const struct trace *trace, struct pop_variation *saved_s,
                               struct error *error)
{
    struct varied_trace varied = {.trace = trace, .engine = engine_find("model")};
    const struct engine_setup setup = {.options = &varied.options};
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    *saved_s = (struct pop_variation){NAN, NAN, NAN};
    enum status status = varied.engine->prepare(trace, &setup, &varied.state, &facts, error);
    if (status == STATUS_OK)
        status = varied.engine->run(varied.state, NULL, NULL, &run, error);
    varied.time_s = run.time_s;
    status = status
                 ?: try_without(&varied, "ranks", &saved_s->ranks, error)
                 ?: try_without(&varied, "iterations", &saved_s->iterations, error)
                 ?: try_without(&varied, "noise", &saved_s->noise, error);
    free(facts.approximations);
    if (varied.state)
        varied.engine->release(varied.state);
    return status == STATUS_INPUT ? STATUS_OK : status;
}

struct pop_variation pop_variation_factors(const struct pop_variation *saved_s, double time_s)
{
    return (struct pop_variation){1 - saved_s->ranks / time_s, 1 - saved_s->iterations / time_s,
                                  1 - saved_s->noise / time_s};
}
