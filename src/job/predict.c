#include "job/predict.h"

#include "reduce/assumptions.h"
#include "transform/hypothesis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status engine_predict(const struct engine *engine, void *state, const struct trace *trace,
                           struct trace **view, double *time_s, struct error *error)
{
    assert(engine->computes && state);
    struct engine_run run = {0};
    *view = trace_view(trace, error);
    enum status status =
        processes_agree(trace->processes, *view ? STATUS_OK : STATUS_ENVIRONMENT, error);
    if (status == STATUS_OK)
        status = engine->run(state, *view, NULL, &run, error);
    *time_s = run.time_s;
    if (status != STATUS_OK) {
        trace_destroy(*view);
        *view = NULL;
    }
    return status;
}

enum status engine_predict_changed(const struct engine *engine, const struct engine_setup *setup,
                                   const struct trace *changed, struct trace **view, double *time_s,
                                   struct error *error)
{
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    void *state = NULL;
    assert(engine->computes && setup->original);
    if (view)
        *view = NULL;
    enum status status = engine->prepare(changed, setup, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    if (view) {
        status = engine_predict(engine, state, changed, view, time_s, error);
    } else {
        status = engine->run(state, NULL, NULL, &run, error);
        *time_s = run.time_s;
    }
    free(facts.approximations);
    engine->release(state);
    return status;
}

enum status engine_predict_sections(const struct engine *engine, const struct engine_setup *setup,
                                    const struct trace *trace, const char *sections, bool *can,
                                    double *time_s, struct error *error)
{
    struct ini *ini = NULL;
    struct hypothesis *hypotheses = NULL;
    struct trace *changed = NULL;
    size_t count = 0;
    assert(sections);
    *can = false;
    enum status status = ini_parse_text("the question", sections, strlen(sections), &ini, error)
                             ?: hypotheses_parse(ini, &hypotheses, &count, error)
                             ?: assumptions_check(trace, hypotheses, count, error)
                             ?: hypotheses_apply(hypotheses, count, trace, &changed, NULL, error);
    const bool applies = status != STATUS_INPUT;
    if (status == STATUS_OK)
        status = engine_predict_changed(engine, setup, changed, NULL, time_s, error);
    *can = status == STATUS_OK;
    trace_destroy(changed);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
    return applies ? status : STATUS_OK;
}
