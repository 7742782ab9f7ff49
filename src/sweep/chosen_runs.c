#include "sweep/chosen_runs.h"

#include "base/sort.h"
#include "sweep/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
    size_t run;
    double
        gain; /* by the model's word, as a fraction of the objective; NAN: it has not been asked */
};

static int by_gain(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (isnan(x->gain) != isnan(y->gain))
        return isnan(x->gain) ? 1 : -1;
    if (!isnan(x->gain) && x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return ORDER(x->run, y->run);
}

static double gain_of(const struct run_result *model, bool larger_is_better)
{
    if (model->state != RUN_DONE || model->pair_count == 0)
        return NAN;
    double before = model->pairs[0].objective_unchanged, after = model->pairs[0].objective_changed;
    double gain = before != 0 ? (before - after) / fabs(before) : 0;
    return larger_is_better ? -gain : gain;
}

enum status runs_rank(const struct sweep *sweep, const struct run_result *results, size_t *order,
                      struct error *error)
{
    struct candidate *candidates = calloc(sweep->run_count + 1, sizeof *candidates);
    struct objective objective;
    enum status status = objective_find(sweep->options.objective, &objective, error);
    if (status == STATUS_OK && !candidates)
        status = error_memory(error, "the runs of a sweep");
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++)
        candidates[i] = (struct candidate){i, gain_of(&results[i], objective.larger_is_better)};
    if (status == STATUS_OK)
        qsort(candidates, sweep->run_count, sizeof *candidates, by_gain);
    for (size_t i = 0; i < sweep->run_count && status == STATUS_OK; i++)
        order[i] = candidates[i].run;
    free(candidates);
    return status;
}

enum status chosen_runs_find(const struct sweep_folder *folder, struct chosen_runs *chosen,
                             struct error *error)
{
    const struct sweep *sweep = folder->sweep;
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
