#include "programs/asked_trace.h"

#include "job/predict.h"
#include "reduce/assumptions.h"

#include <assert.h>
#include <string.h>

double question_time_s(const struct asked_trace *asked)
{
    const struct trace *trace = asked->modelled.trace;
    double time_s = 0;
    if (trace->processes->rank == 0) /* only this process has the critical path */
        time_s = trace_seconds(trace, (double)asked->modelled.critical->last_time);
    processes_broadcast(trace->processes, &time_s, sizeof time_s);
    return time_s;
}

enum status question_predict(const struct asked_trace *asked, const char *sections, bool *can,
                             double *time_s, struct error *error)
{
    struct model_options options = asked->options;
    const struct engine_setup setup = {.options = &options,
                                       .poll_gap_s = asked->setup.poll_gap_s,
                                       .original = asked->modelled.state};
    struct ini *ini = NULL;
    struct hypothesis *hypotheses = NULL;
    struct trace *changed = NULL;
    size_t count = 0;
    assert(sections);
    *can = false;
    options.parametric = false;
    enum status status =
        ini_parse_text("the question", sections, strlen(sections), &ini, error)
            ?: hypotheses_parse(ini, &hypotheses, &count, error)
            ?: assumptions_check(asked->modelled.trace, hypotheses, count, error)
            ?: hypotheses_apply(hypotheses, count, asked->modelled.trace, &changed, NULL, error);
    const bool applies = status != STATUS_INPUT;
    if (status == STATUS_OK)
        status =
            engine_predict_changed(asked->modelled.engine, &setup, changed, NULL, time_s, error);
    *can = status == STATUS_OK;
    trace_destroy(changed);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
    return applies ? status : STATUS_OK;
}
