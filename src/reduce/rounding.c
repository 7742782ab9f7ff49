/* Each step of the model's equations adds a constant to a time. If no time stamp moves by more than
 * q, no constant changes by more than its weight times q. An outcome is a maximum over paths of
 * sums of constants, so it changes by at most q times the largest sum of weights on any path. This
 * sum is an outcome, too: that of the same equations with weights instead of constants. */
#include "reduce/rounding.h"

#include "replay/engine.h"
#include "replay/model/compile.h"
#include "replay/model/evaluate.h"

#include <assert.h>
#include <stdlib.h>

enum {
    POINT_WEIGHT = 1,   /* a post or a wait has one time stamp */
    CALL_WEIGHT = 2,    /* the computation before a call has two; a hypothesis may scale it alone */
    WAITING_WEIGHT = 6, /* ... and the call's wait, end of the wait and cost four more */
    END_WEIGHT = 2,     /* first and last time stamp */
};

static void set_weights(const struct equations *equations)
{
    for (uint32_t rank = 0; rank < equations->rank_count; rank++) {
        bool waits = false;
        for (size_t i = equations->first[rank]; i < equations->first[rank + 1]; i++) {
            struct step *step = &equations->steps[i];
            switch ((enum step_code)step->code) {
            case STEP_WAIT:
            case STEP_AWAIT:
                waits = true;
                step->time = POINT_WEIGHT;
                break;
            case STEP_END:
                step->time = waits ? WAITING_WEIGHT : CALL_WEIGHT;
                waits = false;
                break;
            case STEP_POST:
            case STEP_POST_SCAN:
            case STEP_ARRIVE:
                step->time = POINT_WEIGHT;
                break;
            default:
                step->time = 0;
            }
        }
    }
}

/* On process 0: the largest sum of weights on any path. */
static enum status heaviest_path(const struct equations *equations, int64_t *weight,
                                 struct error *error)
{
    size_t count = equations->first_end[equations->rank_count];
    int64_t *ends = calloc(count + 1, sizeof *ends);
    struct evaluator *evaluator = NULL;
    enum status status = ends ? STATUS_OK : error_memory(error, "the bound of predictions");
    set_weights(equations);
    if (status == STATUS_OK)
        status = evaluator_create(equations, &evaluator, error);
    if (status == STATUS_OK) {
        uint32_t stuck = evaluator_run(evaluator, ends);
        if (stuck < equations->rank_count)
            status = error_set(error, STATUS_INPUT,
                               "in the model the ranks wait for each other forever, for example "
                               "rank %u, so the error of predictions cannot be bounded",
                               stuck);
    }
    *weight = END_WEIGHT;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (ends[i] + END_WEIGHT > *weight)
            *weight = ends[i] + END_WEIGHT;
    evaluator_destroy(evaluator);
    free(ends);
    return status;
}

static enum status find_weight(const struct trace *trace, const struct layout *layout,
                               struct rounding_bound *bound, struct error *error)
{
    struct recorded recorded;
    struct model_part part = {.has_growth = false};
    struct equations equations;
    enum status status = recorded_make(trace, NULL, 0, &recorded, error);
    if (status != STATUS_OK)
        return status;
    const struct part_input wanted = {.trace = trace,
                                      .layout = layout,
                                      .recorded = &recorded,
                                      .platform = &recorded.platform,
                                      .varied = DISTANCE_COUNT,
                                      .same_rows = true};
    status = processes_agree(trace->processes, part_compile(&wanted, &part, error), error);
    bound->machine = recorded.platform.machine;
    recorded_clear(&recorded);
    if (status == STATUS_OK &&
        (status = equations_join(&part, layout, &equations, error)) == STATUS_OK) {
        if (trace->processes->rank == 0)
            status = heaviest_path(&equations, &bound->weight, error);
        status = processes_agree(trace->processes, status, error);
        equations_clear_steps(&equations);
    }
    part_clear(&part);
    return status;
}

enum status rounding_find(const struct trace *trace, double error_of_t,
                          struct rounding_bound *bound, struct error *error)
{
    assert(trace->matched && error_of_t >= 0);
    struct layout layout;
    *bound = (struct rounding_bound){.error = error_of_t, .length = trace->end - trace->begin};
    enum status status = layout_make(trace, &layout, error);
    if (status != STATUS_OK)
        return status;
    status = find_weight(trace, &layout, bound, error);
    layout_clear(&layout);
    if (status != STATUS_OK)
        return status;
    processes_broadcast(trace->processes, &bound->weight, sizeof bound->weight);
    bound->quantum = (uint64_t)(error_of_t * (double)bound->length / (double)bound->weight);
    return STATUS_OK;
}
