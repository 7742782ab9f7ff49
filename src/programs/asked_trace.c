#include "programs/asked_trace.h"

#include "job/predict.h"

struct engine_setup question_setup(const struct asked_trace *asked, struct model_options *options)
{
    *options = asked->options;
    options->parametric = false;
    return (struct engine_setup){.options = options,
                                 .poll_gap_s = asked->setup.poll_gap_s,
                                 .original = asked->modelled.state};
}

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
    struct model_options options;
    const struct engine_setup setup = question_setup(asked, &options);
    return engine_predict_sections(asked->modelled.engine, &setup, asked->modelled.trace, sections,
                                   can, time_s, error);
}
