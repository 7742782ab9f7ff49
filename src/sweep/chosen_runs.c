#include "sweep/chosen_runs.h"

#include "base/sort.h"
#include "sweep/savings.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ranked_run {
    size_t run;
    double gain; /* fraction of the objective; NAN: it has no result */
};

static int order_by_gain(const void *a, const void *b)
{
    const struct ranked_run *x = a, *y = b;
    if (isnan(x->gain) || isnan(y->gain))
        return ORDER(isnan(x->gain), isnan(y->gain)) ?: ORDER(x->run, y->run);
    return ORDER(y->gain, x->gain) ?: ORDER(x->run, y->run);
}

static double first_gain(const struct run_result *result, const struct objective *objective)
{
    return result->state == RUN_DONE && result->pair_count > 0
               ? pair_gain(&result->pairs[0], objective, result->pairs[0].objective_unchanged)
               : NAN;
}

enum status runs_rank(const struct sweep_plan *sweep, const struct run_result *results,
                      size_t *order, struct error *error)
{
    assert(sweep && (results || sweep->run_count == 0));
    struct objective objective;
    enum status status = objective_find(sweep->options.objective, &objective, error);
    if (status != STATUS_OK)
        return status;
    struct ranked_run *ranked = calloc(sweep->run_count + 1, sizeof *ranked);
    if (!ranked)
        return error_memory(error, "the runs of a sweep");
    for (size_t i = 0; i < sweep->run_count; i++)
        ranked[i] = (struct ranked_run){i, first_gain(&results[i], &objective)};
    qsort(ranked, sweep->run_count, sizeof *ranked, order_by_gain);
    for (size_t i = 0; i < sweep->run_count; i++)
        order[i] = ranked[i].run;
    free(ranked);
    return STATUS_OK;
}

enum status chosen_runs_find(const struct sweep_folder *folder, struct chosen_runs *chosen,
                             struct error *error)
{
    const struct sweep_plan *sweep = folder->sweep;
    size_t tried = 0; /* of the best, including those with a result */
    size_t *order = calloc(sweep->run_count + 1, sizeof *order);
    memset(chosen, 0, sizeof *chosen);
    chosen->runs = calloc(sweep->run_count + 1, sizeof *chosen->runs);
    enum status status = order && chosen->runs ? runs_rank(sweep, folder->models, order, error)
                                               : error_memory(error, "the runs of a sweep");
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++) {
        size_t run = order[i];
        if (sweep->options.engine == SWEEP_MODEL_THEN_REALTIME &&
            (folder->models[run].state == RUN_FAILED || tried >= (size_t)sweep->options.keep))
            continue;
        tried++;
        if (folder->results[run].state == RUN_OPEN)
            chosen->runs[chosen->count++] = run;
    }
    free(order);
    if (status != STATUS_OK)
        chosen_runs_clear(chosen);
    return status;
}

void chosen_runs_clear(struct chosen_runs *chosen)
{
    free(chosen->runs);
    memset(chosen, 0, sizeof *chosen);
}
