#include "replay/untraced.h"

#include "replay/model/model.h"
#include "transform/compensate.h"
#include "transform/hypothesis.h"

#include <stdlib.h>

/* Collective. Computes the times of the shortened copy; `view` may be NULL. */
static enum status model_copy(const struct trace *copy, struct trace *view, double *time_s,
                              struct error *error)
{
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    void *state = NULL;
    const struct engine_setup setup = {0};
    enum status status = engine_model.prepare(copy, &setup, &state, &facts, error);
    if (status == STATUS_OK)
        status = engine_model.run(state, view, NULL, &run, error);
    *time_s = run.time_s;
    engine_model.release(state);
    free(facts.approximations);
    return status;
}

enum status untraced_make(const struct trace *recorded, struct trace **copy,
                          struct trace **untraced, double *time_s, struct error *error)
{
    struct compensation compensation;
    struct event_costs costs;
    bool stated;
    *copy = NULL;
    if (untraced)
        *untraced = NULL;
    enum status status = event_costs_read(recorded, &costs, &stated, error);
    status = processes_agree(recorded->processes, status, error);
    if (status != STATUS_OK || !stated)
        return status;
    status = hypotheses_apply(NULL, 0, recorded, copy, NULL, error)
                 ?: trace_compensate(*copy, &compensation, error);
    if (status == STATUS_OK && untraced) {
        *untraced = trace_view(*copy, error);
        status =
            processes_agree(recorded->processes, *untraced ? STATUS_OK : STATUS_ENVIRONMENT, error);
    }
    status = status ?: model_copy(*copy, untraced ? *untraced : NULL, time_s, error);
    if (status != STATUS_OK) {
        if (untraced) {
            trace_destroy(*untraced);
            *untraced = NULL;
        }
        trace_destroy(*copy);
        *copy = NULL;
    }
    return status;
}
