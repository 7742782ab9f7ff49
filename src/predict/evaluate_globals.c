/* Values of params and lets, as one rank sees them. */
#include "predict/evaluate_private.h"

#include "base/map.h"

#include <math.h>

static bool is_before(struct place a, struct place b)
{
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

void evaluate_set_rank(struct evaluator *e, uint32_t rank, const struct place *before)
{
    struct frame none = {0};
    bool all = e->rank == UINT32_MAX;
    e->rank = rank;
    e->stack_bottom = __builtin_frame_address(0);
    e->random = map_mix(map_mix(e->input->seed) ^ rank);
    for (uint32_t p = 0; p < e->script->procedure_count; p++)
        e->remembered[p].known = false;
    for (uint32_t g = 0; g < e->script->global_count && e->status == STATUS_OK; g++) {
        const struct global *global = &e->script->globals[g];
        if (before && !is_before(global->place, *before))
            break;
        if (!isnan(e->params[g]))
            e->globals[g] = e->params[g];
        else if (all || global->varies || before)
            e->globals[g] = evaluate(e, global->value, none);
    }
}
