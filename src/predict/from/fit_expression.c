#include "predict/from/fit.h"

#include "predict/from/fit_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void fitted_clear(struct fitted *fitted)
{
    free(fitted->text);
    free(fitted->table);
    *fitted = (struct fitted){0};
}

static const struct formula *fit_number(const struct points *points)
{
    struct points *reduced = points_without_rank(points);
    if (reduced)
        return fit_whole(reduced, WHOLE_COMMON);
    const struct formula *formula = fit_whole(points, WHOLE_OF_RANK);
    return formula ? formula : fit_classes(points);
}

/* The formula of peers where some ranks have MPI_PROC_NULL as a peer, and the others what `peer`
 * says. If these are just the ranks for which it is negative, the formula itself, as negative ranks
 * are MPI_PROC_NULL, too. If it also leaves the ranks of the program at the upper end, with -1
 * there. NULL: peers are missing elsewhere. */
static const struct formula *limit_peer(const struct points *points, const struct formula *peer)
{
    bool above = false;
    for (uint32_t i = 0; i < points->count; i++) {
        const double *point = point_at(points, i);
        double value = formula_value(points->formulas, peer, point);
        bool inside = value >= 0 && value < point[POINT_SIZE];
        if (inside != (points->targets[i] >= 0))
            return NULL;
        above = above || value >= point[POINT_SIZE];
    }
    return above ? FORMULA(points->formulas, "a < b ? a : c", peer,
                           formula_variable(points->formulas, POINT_SIZE),
                           formula_number(points->formulas, -1))
                 : peer;
}

/* Peers of which some are MPI_PROC_NULL. */
static const struct formula *fit_peer(const struct points *points)
{
    struct formulas *formulas = points->formulas;
    bool *keep = formulas_alloc(formulas, points->count, sizeof *keep);
    struct points *masks = points_copy(points);
    uint32_t present = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        keep[i] = points->targets[i] >= 0;
        masks->targets[i] = keep[i];
        present += keep[i];
    }
    if (present == points->count)
        return fit_rank(points);
    const struct formula *peer = fit_rank(points_where(points, keep));
    if (!peer)
        return NULL;
    const struct formula *limited = limit_peer(points, peer);
    if (limited)
        return limited;
    const struct formula *condition = fit_truth(masks);
    return condition ? FORMULA(formulas, "a ? b : c", condition, peer, formula_number(formulas, -1))
                     : NULL;
}

/* A formula that gives all values exactly, or else an item of a table. */
static const struct formula *fit_exactly(enum fit_kind kind, const struct points *points,
                                         struct fitted *fitted)
{
    const struct formula *formula = kind == FIT_TRUTH  ? fit_truth(points)
                                    : kind == FIT_RANK ? fit_peer(points)
                                                       : fit_number(points);
    if (formula) {
        uint32_t distinct = points_distinct_targets(points);
        fitted->weak = distinct > 1 && formula->free >= distinct;
        return formula;
    }
    double *items;
    uint32_t count;
    formula = fit_table(points, &items, &count, &fitted->bound);
    fitted->tabulated = true;
    fitted->table = fit_table_print(points->formulas, items, count, false);
    return formula;
}

/* Ends by a jump if memory is out. */
static void fit(struct formulas *formulas, enum fit_kind kind,
                const struct observation *observations, uint32_t count, const char *table_name,
                struct fitted *fitted)
{
    bool consistent;
    formulas_begin(formulas);
    struct points *points = points_build(formulas, observations, count, &consistent);
    const struct formula *formula =
        kind == FIT_SECONDS ? fit_seconds(points, fitted) : fit_exactly(kind, points, fitted);
    fitted->exact = kind != FIT_SECONDS && consistent;
    fitted->text = formula_print(formulas, formula, table_name);
}

/* Most columns have one value everywhere. */
static bool fit_constant(enum fit_kind kind, double value, struct fitted *fitted)
{
    char text[40];
    formula_number_print(value, kind == FIT_SECONDS, text);
    fitted->text = strdup(text);
    fitted->exact = true;
    return fitted->text != NULL;
}

static bool all_equal(const struct observation *observations, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (observations[i].value != observations[0].value)
            return false;
    return true;
}

bool fit_expression(enum fit_kind kind, const struct fit_context *context,
                    const struct observation *observations, uint32_t count, const char *table_name,
                    struct fitted *fitted)
{
    assert(count > 0 && context->recordings > 0 && context->loop_count <= FIT_LOOPS);
    *fitted = (struct fitted){0};
    if (all_equal(observations, count))
        return fit_constant(kind, observations[0].value, fitted);
    struct formulas formulas = {.arena = arena_create(), .context = context};
    if (!formulas.arena)
        return false;
    if (setjmp(formulas.out_of_memory) == 0)
        fit(&formulas, kind, observations, count, table_name, fitted);
    else
        fitted_clear(fitted);
    arena_destroy(formulas.arena);
    return fitted->text != NULL;
}
